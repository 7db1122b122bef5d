import { X509Certificate } from 'node:crypto';
import { HOTP, Secret } from 'otpauth';
import { createRevocationChecker, type EidClient } from '../../client/index.ts';
import type { Service } from '../main.ts';
import { createPhone } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { citizenWithLostPhones, type DemoOperatorAccount, demoOperators } from './demo.ts';
import { orLeaveOut, type ProgressReport } from './demoProgress.ts';

/** Demo operator of `demo.json`. */
export interface DemoOperator {
  readonly email: string;
  readonly password: string;
  /** Base32; TOTP with SHA-1, six digits, thirty seconds. */
  readonly totpSecret: string;
}

/** An operator whose password is accepted. */
interface SignedIn {
  readonly account: DemoOperator;
  /** Of a session; null when no code of the authenticator was left, as each counts once. */
  readonly token: string | null;
}

/** Demo operators, by their names in `demo.json`. */
export type DemoOperators = Readonly<Record<keyof typeof demoOperators, SignedIn | null>>;

const STEP_SECONDS = 30;

/**
 * Adds the demo operators unless they exist, and signs them in over HTTP with authenticators of
 * their own. Null: one whose account was changed since, so that the demo can no longer be them.
 */
export async function signInDemoOperators(
  service: Service,
  telling: ProgressReport,
): Promise<DemoOperators> {
  const signedIn = (account: DemoOperatorAccount) =>
    orLeaveOut(telling, account.email, () => signIn(service, account, telling));
  return {
    operator: await signedIn(demoOperators.operator),
    approver: await signedIn(demoOperators.approver),
  };
}

async function signIn(
  service: Service,
  account: DemoOperatorAccount,
  telling: ProgressReport,
): Promise<SignedIn> {
  const { email, password } = account;
  const find = async () =>
    (await service.operators.list()).find((operator) => operator.email === email);
  if ((await find()) === undefined) {
    await service.operators.add({ ...account, mustChangePassword: false });
  }
  const { origin } = service;
  const first = await call(origin, 'auth/login', { body: { email, password } });
  const known = (await find())?.secondFactor ?? null;
  const totpSecret = known?.secret ?? String(first['secret']);
  const token = String(first['token']);
  const second = await orLeaveOut(telling, `a session of ${email}`, () =>
    withUnusedCode(totpSecret, (code) => call(origin, 'auth/mfa', { token, body: { code } })),
  );
  return {
    account: { email, password, totpSecret },
    token: second === null ? null : String(second['token']),
  };
}

/**
 * Retries with the next TOTP code: each is accepted once, so a restart within its window needs
 * another.
 */
async function withUnusedCode<Result>(
  totpSecret: string,
  use: (code: string) => Promise<Result>,
): Promise<Result> {
  const totp = new HOTP({ secret: Secret.fromBase32(totpSecret) });
  const counter = Math.floor(Date.now() / 1000 / STEP_SECONDS);
  const codeOf = (step: number) => totp.generate({ counter: counter + step });
  return use(codeOf(-1))
    .catch(() => use(codeOf(0)))
    .catch(() => use(codeOf(1)));
}

/**
 * Shows four eyes after the loss of a phone: one operator requests the revocation, another
 * approves, OCSP reports it.
 */
export async function showFourEyes(
  { origin, certificates }: Pick<Service, 'origin' | 'certificates'>,
  client: EidClient,
  { operators, telling: { step, say } }: { operators: DemoOperators; telling: ProgressReport },
): Promise<void> {
  const { operator, approver } = operators;
  const asking = operator?.token ?? null;
  const deciding = approver?.token ?? null;
  if (operator === null || approver === null || asking === null || deciding === null) return;
  step(`Four eyes: ${citizenWithLostPhones.name} lost a phone`);
  const certificate = await certificateOfLostPhone(origin, client);
  const issuer = certificates.issuing
    .map((der) => new X509Certificate(der))
    .find((each) => certificate.verify(each.publicKey));
  // Certificates name the public PKI address; the demo redirects it to this service.
  const fetchImpl = (url: string | URL | Request, init?: RequestInit) =>
    fetch(new URL(new URL(url instanceof Request ? url.url : url).pathname, origin), init);
  const status = () =>
    createRevocationChecker({ sources: ['ocsp'], fetchImpl })(certificate, issuer ?? null);
  const serial = certificate.serialNumber.toLowerCase();
  say(`  certificate ${serial}, OCSP: ${await status()}`);

  const asked = await askForRevocation(origin, asking, serial);
  say(`  ${operator.account.email} asks for its revocation: ${String(asked['status'])}`);
  const approved = await approve(origin, deciding, String(asked['id']));
  say(
    `  ${approver.account.email} approves: ${String(approved['status'])}, OCSP: ${await status()}`,
  );
}

/** Enrols one more phone of the citizen who loses them. @returns its certificate for signatures */
export async function certificateOfLostPhone(
  origin: string,
  client: EidClient,
): Promise<X509Certificate> {
  const { civilId, cardNumber, birthDate } = citizenWithLostPhones;
  const phone = createPhone({ baseUrl: origin, store: createMemoryPhoneStore() });
  const { documentNumber } = await phone.enrol({
    card: { identifier: civilId, cardNumber, birthDate },
    pin1: '1234',
    pin2: '12345',
  });
  const { certificateDerB64 } = await client.sign.certificateOf(documentNumber);
  return new X509Certificate(Buffer.from(certificateDerB64, 'base64'));
}

/** Asks for a revocation as the operator with this token. @returns the approval it waits for */
export const askForRevocation = (origin: string, token: string, serial: string) =>
  call(origin, `certificates/${serial}/revoke`, {
    token,
    body: { reason: 1, comment: 'The phone was reported lost' },
  });

/** Approves as the operator with this token. */
export const approve = (origin: string, token: string, id: string) =>
  call(origin, `approvals/${id}/approve`, { token, body: {} });

/** POSTs to the operator API. @throws Error for a status other than 2xx */
async function call(
  origin: string,
  path: string,
  { token, body }: { readonly token?: string; readonly body: object },
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${origin}/v3/admin/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${path} was refused: ${String(answer['detail'])}`);
  return answer;
}
