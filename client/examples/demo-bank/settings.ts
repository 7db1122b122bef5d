import { fileURLToPath } from 'node:url';
import type { OpenIdClient } from './flows/payByConsent.ts';

/** Variables of the environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of the bank itself; the library's settings are in `../settings.ts`. */
export interface BankSettings {
  /** Public origin of the bank, without a path: phones return here. */
  readonly origin: string;
  /** Base path of the bank; empty: the whole origin. */
  readonly base: string;
  /** Origin of the platform's verification pages. */
  readonly verifyBase: string;
  /** Client of the platform's OpenID Connect provider, registered for payments; null: none. */
  readonly openId: OpenIdClient | null;
  /** Page of the demo phone, for visitors without one; null: none. */
  readonly phonePage: string | null;
  /** Directory of these source files, whose lines the pages show. */
  readonly directory: string;
  /** The library's entry for browsers: one file without dependencies. */
  readonly browserLibrary: string;
  /** Demo citizens whose phones answer automatically, each in one way. */
  readonly demoCitizens: readonly DemoCitizen[];
}

/** A demo citizen. */
export interface DemoCitizen {
  /** Answer of the phone: `OK`, `USER_REFUSED`, … */
  readonly answers: string;
  readonly etsi: string;
}

/** Reads the settings from the environment; the defaults suit a bank at `http://127.0.0.1:PORT`. */
export function bankSettings(environment: Environment): BankSettings {
  const given = (name: string, otherwise: string) => environment[name] || otherwise;
  const origin = given('PUBLIC_ORIGIN', `http://127.0.0.1:${given('PORT', '3000')}`);
  const base = given('BASE_PATH', '');
  const issuer = given('OIDC_ISSUER', '');
  return {
    origin: new URL(origin).origin,
    base,
    openId:
      issuer === ''
        ? null
        : {
            issuer,
            id: given('OIDC_CLIENT_ID', ''),
            secret: given('OIDC_CLIENT_SECRET', ''),
            returnTo: `${new URL(origin).origin}${base}/paid`,
          },
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
