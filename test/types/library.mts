// The types of the packed library, as an ES module of a strict project sees them. Compiled, never run.
import type { X509Certificate } from 'node:crypto';
import {
  ApiError,
  AuthenticationError,
  type CallOptions,
  checkCallback,
  createRevocationChecker,
  type DeviceLinkSession,
  EidClient,
  type EndResult,
  type Interaction,
  NetworkError,
  type NotificationSession,
  type ProblemCode,
  RateLimitedError,
  SessionFailedError,
  type SessionResult,
  type ValidatedAuthentication,
  type ValidationCode,
  ValidationError,
  signedDeviceLink,
} from '@tamga/client';
import { createLogin, type LoginStatus } from '@tamga/client/login';
import { createFakePlatform, type FakeOutcome } from '@tamga/client/testing';

type Same<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
const holds = <Fact extends true>(..._facts: readonly Fact[]): void => undefined;

const credentials = { rpUUID: 'u', rpName: 'n', apiSecret: 's' };
const client = new EidClient({ baseUrl: 'https://rp.example', credentials });
const interactions = [{ type: 'displayTextAndPIN', displayText60: 'Log in' }] as const;
const { signal } = new AbortController();

// Configuration
new EidClient({
  baseUrl: 'https://rp.example',
  credentials,
  trust: {
    trustAnchorsPem: 'PEM',
    intermediatesPem: ['PEM', 'PEM'],
    requiredLevel: 'QSCD',
    clockSkewMs: 1000,
    revocation: createRevocationChecker({ sources: ['ocsp'] }),
    revocationMode: 'soft-fail',
  },
  defaultCertificateLevel: 'ADVANCED',
  generation: 'G2',
  timeoutMs: 5000,
  dispatcher: {},
  fetchImpl: fetch,
});
// @ts-expect-error baseUrl is required
new EidClient({ credentials });
// @ts-expect-error credentials are required
new EidClient({ baseUrl: 'https://rp.example' });
// @ts-expect-error QSCD cannot be asked for
new EidClient({ baseUrl: 'https://rp.example', credentials, defaultCertificateLevel: 'QSCD' });

// Calls
const pushed = client.auth.notificationByEtsi('id', interactions, { signal });
holds<Same<typeof pushed, Promise<NotificationSession>>>(true);
const linked = client.auth.deviceLinkAnonymous(interactions, { callbackUrl: 'https://x' });
holds<Same<typeof linked, Promise<DeviceLinkSession>>>(true);
holds<Same<ReturnType<typeof client.session.waitForResult>, Promise<SessionResult>>>(true);
void client.sign.digestByEtsi('id', 'AA==', interactions, { hashType: 'SHA384', fileName: 'a' });
void client.session.poll('id');
void client.session.poll('id', 1000, { signal: undefined });
void client.stamp.pdf('id', new Uint8Array(), { fileName: 'a.pdf', timeoutMs: 1, signal });
void client.seal.digest('NTRMN-1', 'AA==', { signal });
void client.organization.removeSigner('1', 'PNOMN-1', 'regno', { signal });
void client.personPki.activity('PNOMN-1', { flow: 'SIGNATURE', limit: 5, signal });
// @ts-expect-error a text of another length
const wrongText: Interaction = { type: 'displayTextAndPIN', displayText200: 'x' };
// @ts-expect-error no such hash
void client.sign.digestByEtsi('id', 'AA==', interactions, { hashType: 'MD5' });
// @ts-expect-error a file name is of signatures only
void client.auth.notificationByEtsi('id', interactions, { fileName: 'a' });
// @ts-expect-error no such flow
void client.personPki.activity('PNOMN-1', { flow: 'SEAL' });

// Results
declare const result: SessionResult;
holds<Same<SessionResult['state'], 'RUNNING' | 'COMPLETE'>>(true);
holds<Same<SessionResult['endResult'], EndResult | null>>(true);
// @ts-expect-error a typo in a comparison
if (result.endResult === 'USER_REFUSD') throw new Error();
// @ts-expect-error a text for every end result: these are not all
const tooFew: Record<EndResult, string> = { OK: 'Welcome', TIMEOUT: 'Too late' };
// @ts-expect-error read-only
result.state = 'COMPLETE';
const login = client.validator.validateAuth(result, 'challenge');
holds<Same<typeof login, ValidatedAuthentication>>(true);
holds<Same<typeof login.certificate, X509Certificate>>(true);
client.validator.validateAuth(result, await pushed, { personEtsi: 'PNOMN-1' });
client.validator.validateSign(result, 'AA==', { session: await pushed }).signatureValueB64.at(0);
void client.validator.checkRevocation(login.certificate);
// @ts-expect-error a signature proves no level of its own
void client.validator.validateSign(result, 'AA==').certificateLevel;
checkCallback(new URL('https://x'), { session: await linked, result, state: 's' });
signedDeviceLink(await linked, { type: 'QR', now: new Date(), lang: 'eng' }).at(0);
// @ts-expect-error a push has no link
signedDeviceLink(await pushed, { type: 'QR' });

// Login and testing
const login2 = createLogin({ client, interactions });
holds<Same<ReturnType<typeof login2.status>, Promise<LoginStatus>>>(true);
const platform = createFakePlatform();
new EidClient(platform.config);
platform.citizenWho('SIGNATURE_INVALID');
platform.refuseNext('RATE_LIMITED', { retryAfterMs: 1000 });
// @ts-expect-error no such end
platform.citizenWho('USER_REFUSD');
// @ts-expect-error no such problem
platform.refuseNext('RATE_LIMITD');
holds<'OK' extends FakeOutcome ? true : false>(true);

// Errors
declare const error: unknown;
if (error instanceof AuthenticationError)
  holds<Same<typeof error.retryAfterMs, number | null>>(true);
if (error instanceof ApiError) {
  holds<Same<typeof error.status, number>>(true);
  holds<Same<typeof error.code, ProblemCode | null>>(true);
  // @ts-expect-error a typo in a comparison
  if (error.code === 'PERSON_NOT_FUOND') throw error;
}
if (error instanceof RateLimitedError) {
  holds<Same<typeof error.reason, string | null>>(true);
  holds<Same<typeof error.retryAfterMs, number | null>>(true);
}
if (error instanceof SessionFailedError)
  holds<Same<typeof error.endResult, EndResult | null>>(true);
if (error instanceof ValidationError) holds<Same<typeof error.code, ValidationCode>>(true);
if (error instanceof NetworkError) holds<Same<typeof error.name, 'NetworkError'>>(true);
const isApiError: ApiError = new AuthenticationError(401, null);
// @ts-expect-error no such code
const wrongCode: ValidationCode = 'FINE';
holds<Same<CallOptions['signal'], AbortSignal | undefined>>(true);

export { isApiError, tooFew, wrongCode, wrongText };
