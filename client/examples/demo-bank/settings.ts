import { fileURLToPath } from 'node:url';

/** Variables of the environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Everything of the bank's own that is configured; what the library needs is in `../settings.ts`. */
export interface BankSettings {
  /** Where browsers reach the bank: phones return here. Without a path. */
  readonly origin: string;
  /** The path below which the bank lives; empty: all of the origin is its. */
  readonly base: string;
  /** Origin of the platform's verification pages. */
  readonly verifyBase: string;
  /** A page that is a phone, for those who have none at hand; null: there is none. */
  readonly phonePage: string | null;
  /** Where these files are: the pages show their lines. */
  readonly directory: string;
  /** The library's entry for browsers: one file without dependencies. */
  readonly browserLibrary: string;
  /** Citizens of a demo who answer by themselves, each in one way. */
  readonly demoCitizens: readonly DemoCitizen[];
}

/** A citizen to try the bank with. */
export interface DemoCitizen {
  /** What the phone answers: `OK`, `USER_REFUSED`, … */
  readonly answers: string;
  readonly etsi: string;
}

/** The settings the environment asks for; the defaults suit a bank of its own at `http://127.0.0.1:PORT`. */
export function bankSettings(environment: Environment): BankSettings {
  const given = (name: string, otherwise: string) => environment[name] || otherwise;
  const origin = given('PUBLIC_ORIGIN', `http://127.0.0.1:${given('PORT', '3000')}`);
  return {
    origin: new URL(origin).origin,
    base: given('BASE_PATH', ''),
    verifyBase: given('VERIFY_BASE', given('RP_API_BASE', '')),
    phonePage: environment['PHONE_PAGE'] || null,
    directory: given('BANK_DIRECTORY', import.meta.dirname),
    browserLibrary:
      environment['BROWSER_LIBRARY'] || fileURLToPath(import.meta.resolve('@tamga/client/browser')),
    demoCitizens: Object.entries(environment).flatMap(([name, etsi = '']) => {
      const answers = /^CITIZEN_(OK|USER_REFUSED|WRONG_VC|TIMEOUT|DOCUMENT_UNUSABLE)$/.exec(name);
      return answers?.[1] === undefined ? [] : [{ answers: answers[1], etsi }];
    }),
  };
}
