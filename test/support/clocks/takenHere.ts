import { HOTP, Secret } from 'otpauth';
import { createDeviceGuard } from '../../../api/device/deviceProof.ts';
import { createOperatorTokens } from '../../../application/operator/operators.ts';
import type { RequestContext } from '../../../api/http/route.ts';
import { expectFresh } from '../../../domain/session/deviceLink.ts';
import { createProxyCheckTickets } from '../../../infrastructure/codec/proxyCheckTickets.ts';
import { createJwtAccessTokens } from '../../../infrastructure/credentials/jwtAccessTokens.ts';
import { createTotpCodes } from '../../../infrastructure/credentials/totpCodes.ts';
import { clockFault } from '../../../infrastructure/postgres/serverState.ts';
import { createMemoryReplayStore, systemRandomness } from '../../../infrastructure/system.ts';
import { deviceProof, newKeyPair, publicKeyOf } from '../../../apps/phone/crypto.ts';
import { accessToken, testIssuer } from '../worlds/assistantWorld.ts';
import { type ClockCases, isTaken } from './clockCases.ts';

/** The clock of this process: whole seconds, at the beginning of a step of 30. */
const NOW = Date.parse('2026-06-01T00:00:00Z');
const at = (seconds: number) => ({ now: () => new Date(NOW + seconds * 1000) });
const here = at(0);

/** Makes cases of what processes of this service, phones and issuers made, and this service takes. */
export async function takenHere(): Promise<ClockCases> {
  const randomness = systemRandomness;
  const operatorTokens = (seconds: number) =>
    createOperatorTokens({ secret: 'a secret of the tests', clock: at(seconds) });
  const operatorToken = (seconds: number) => {
    const claims = { scope: 'session', operatorId: 'o', sessionId: 's', epoch: 0 } as const;
    return operatorTokens(seconds).issue({ ...claims, enrolment: null }).token;
  };
  const accessTokens = createJwtAccessTokens({
    issuers: [testIssuer],
    audience: null,
    masterKey: Buffer.alloc(32),
    clock: here,
    randomness,
  });
  const platformToken = async (iat: number, exp: number) => {
    const times = { iat: NOW / 1000 + iat, exp: NOW / 1000 + exp };
    return (await accessTokens.read(await accessToken(times))) !== null;
  };
  const tickets = createProxyCheckTickets(Buffer.alloc(32));
  const ticket = (seconds: number) => tickets.isGood(tickets.issue(at(seconds).now()), here.now());
  const proofs = await phoneProofs();
  const codes = createTotpCodes({ issuer: 'Tamga' });
  const secret = new Secret({ size: 20 });
  /** Tells whether a code is taken at a second of a step when the authenticator's clock differs. */
  const code = (second: number, difference: number) => {
    const counter = Math.floor((NOW / 1000 + second + difference) / 30);
    const made = new HOTP({ secret }).generate({ counter });
    return codes.counterOf(secret.base32, made, at(second).now()) !== null;
  };
  const offset = (seconds: number) =>
    clockFault({ clock: { offsetMs: seconds * 1000, uncertaintyMs: 0 } }) === null;

  return {
    "`exp` of operators' tokens": {
      late: (seconds) =>
        operatorTokens(0).read(operatorToken(-3600 - seconds + 1), 'session') !== null,
    },
    '`iat`, `exp` of platform tokens': {
      ahead: (seconds) => platformToken(seconds, 900),
      late: (seconds) => platformToken(-900, 1 - seconds),
    },
    'tickets of `check-config --proxy`': {
      ahead: ticket,
      late: (seconds) => ticket(-seconds),
    },
    'proofs of phones': { ahead: proofs, late: (seconds) => proofs(-seconds) },
    'signed device links': {
      ahead: (seconds) => isTaken(() => expectFresh(linkOf(0), at(seconds).now(), here.now())),
    },
    'one-time codes of operators': {
      ahead: (seconds) => code(29, seconds),
      late: (seconds) => code(0, -seconds),
    },
    'everything stored: sessions, expiries, logins, approvals': {
      ahead: offset,
      late: (seconds) => offset(-seconds),
    },
  };
}

const linkOf = (elapsedSeconds: number) => ({
  unsigned: '',
  authCode: '',
  deviceLinkType: 'QR' as const,
  elapsedSeconds,
  sessionToken: '',
  sessionType: 'auth' as const,
});

/** Tells whether the proof of a phone is taken whose clock is so many seconds ahead. */
async function phoneProofs(): Promise<(seconds: number) => Promise<boolean>> {
  const documentNumber = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
  const pair = await newKeyPair('P-256', false);
  const publicKey = Buffer.from(await publicKeyOf(pair));
  const certificate = {
    serial: '0a',
    civilId: '110000000001',
    certificate: '',
    type: 'AUTH',
    level: 'QUALIFIED',
    status: 'VALID',
    publicKey: '',
    keyType: 'P-256',
    documentNumber,
    notBefore: '',
    notAfter: '',
  } as const;
  const guard = createDeviceGuard({
    referenceData: {
      device: () =>
        Promise.resolve({
          documentNumber,
          civilId: '110000000001',
          active: true,
          platform: 'SIM',
          pushToken: null,
          transportKey: publicKey.toString('base64'),
          authentication: certificate,
          signing: certificate,
        }),
      activeDevicesOf: () => Promise.resolve([]),
    },
    replayStore: createMemoryReplayStore({ now: () => NOW }),
    signatureVerifier: { verify: () => Promise.resolve(true) },
    clock: here,
  });
  return async (seconds) => {
    const made = { method: 'GET', path: '/v3/device', body: '', time: at(seconds).now() };
    const proof = await deviceProof(pair.privateKey, documentNumber, made);
    const context: RequestContext = {
      requestId: '',
      method: made.method,
      target: made.path,
      ip: '',
      headers: { dpop: proof },
      headerCount: () => 1,
      clientCertificate: null,
      rawBody: Buffer.alloc(0),
      openBody: () => {
        throw new Error('There is no body.');
      },
      onGone: () => () => undefined,
    };
    return isTaken(() => guard.check(context));
  };
}
