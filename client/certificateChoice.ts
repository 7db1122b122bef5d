import { byEtsi } from './auth.ts';
import { randomChallenge } from './crypto.ts';
import { SessionFailedError } from './errors.ts';
import { objectIn, oneOf, required } from './json.ts';
import type { Requests, SessionOptions, SessionRequest } from './requests.ts';
import type { DeviceLinkSession } from './types.ts';
import { readDeviceLinkSession } from './wire.ts';

/** A certificate choice started by push. */
export interface CertificateChoiceSession {
  /** Lower-case UUID. */
  readonly sessionId: string;
}

/** A certificate that can sign now. */
export interface SigningCertificate {
  /** DER, base64. Unproven to be the citizen's until a signature made with it was validated. */
  readonly certificateDerB64: string;
  /** `ADVANCED`, `QUALIFIED` or `QSCD`. */
  readonly certificateLevel: string;
}

/** Options of a certificate choice, which confirms nothing and so tells no signals. */
export type ChoiceOptions = Omit<SessionOptions, 'riskSignals' | 'riskSignalsRequired'>;

/**
 * Certificate choice: finds the certificate a document will be signed with, for formats that
 * include it in the signed data (contract §2). Always second generation. A choice signs nothing;
 * its result, polled like any other, has `documentNumber` and certificate. A choice by device link
 * is continued on the same phone by `linkedDigest`.
 */
export interface CertificateChoice {
  /**
   * Certificate choice by link or QR code, for whoever opens it first. Sends a random `nonce`
   * unless one is given: nothing else distinguishes the requests of your visitors.
   */
  certificateChoiceAnonymous(options?: ChoiceOptions): Promise<DeviceLinkSession>;
  /** Certificate choice by link or QR code that only this citizen's phone can open. */
  certificateChoiceDeviceLink(id: string, options?: ChoiceOptions): Promise<DeviceLinkSession>;
  /** Certificate choice by push to the citizen's phone. */
  certificateChoiceNotification(
    id: string,
    options?: ChoiceOptions,
  ): Promise<CertificateChoiceSession>;
  /**
   * Reads the signing certificate of a phone, without asking its owner.
   *
   * @throws SessionFailedError `DOCUMENT_UNUSABLE` when it cannot sign now
   */
  certificateOf(
    documentNumber: string,
    options?: Pick<SessionOptions, 'certificateLevel' | 'signal'>,
  ): Promise<SigningCertificate>;
}

/** Length of a nonce before base64: gives 24 of the 30 characters allowed. */
const NONCE_BYTES = 18;

type Target = Pick<SessionRequest, 'route' | 'params'>;

export function createCertificateChoice(requests: Requests): CertificateChoice {
  const start = (
    flow: SessionRequest['flow'],
    { route, params = {} }: Target,
    options: ChoiceOptions = {},
  ) =>
    requests.start({
      flow,
      protocol: '',
      route: `/signature/certificate-choice/${flow}/${route}`,
      params,
      interactions: [],
      challengeOrDigest: '',
      hashAlgorithm: 'SHA-256',
      flatInput: {},
      options: { ...options, generation: 'G2' },
    });

  return {
    certificateChoiceAnonymous: async (options) => {
      const optionsWithNonce = { nonce: randomChallenge(NONCE_BYTES), ...options };
      return readDeviceLinkSession(
        await start('device-link', { route: 'anonymous' }, optionsWithNonce),
        '',
      );
    },
    certificateChoiceDeviceLink: async (id, options) =>
      readDeviceLinkSession(await start('device-link', byEtsi(id), options), ''),
    certificateChoiceNotification: async (id, options) => {
      const { answer } = await start('notification', byEtsi(id), options);
      return { sessionId: required(answer, 'sessionID') };
    },
    certificateOf: async (documentNumber, options = {}) => {
      const answer = await requests.ask({
        route: '/signature/certificate/{documentNumber}',
        params: { documentNumber },
        options,
      });
      const state = oneOf(answer, 'state', ['OK', 'DOCUMENT_UNUSABLE']);
      if (state === 'DOCUMENT_UNUSABLE') throw new SessionFailedError(state);
      const cert = objectIn(answer, 'cert');
      return {
        certificateDerB64: required(cert, 'value'),
        certificateLevel: required(cert, 'certificateLevel'),
      };
    },
  };
}
