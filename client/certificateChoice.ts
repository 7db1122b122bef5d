import { byEtsi } from './auth.ts';
import { randomChallenge } from './crypto.ts';
import { SessionFailedError } from './errors.ts';
import { objectIn, oneOf, required } from './json.ts';
import type { Requests, SessionOptions, SessionRequest } from './requests.ts';
import type { DeviceLinkSession } from './types.ts';
import { readDeviceLinkSession } from './wire.ts';

/** A choice of certificate asked for by push. */
export interface CertificateChoiceSession {
  /** Lower-case UUID. */
  readonly sessionId: string;
}

/** A certificate that can sign now. */
export interface SigningCertificate {
  /** DER, base64. Nothing proves it is the citizen's before a signature made with it was validated. */
  readonly certificateDerB64: string;
  /** `ADVANCED`, `QUALIFIED` or `QSCD`. */
  readonly certificateLevel: string;
}

/**
 * Which certificate a document will be signed with, for formats that put it into what is signed (contract §2). Always second
 * generation. A choice signs nothing; its result, polled like any other, has `documentNumber` and certificate. One by
 * device link is continued on the same phone by `linkedDigest`.
 */
export interface CertificateChoice {
  /**
   * By link or QR code, for whoever opens it first. Has a random `nonce` unless you give one: nothing else tells your
   * visitors' requests apart.
   */
  certificateChoiceAnonymous(options?: SessionOptions): Promise<DeviceLinkSession>;
  /** By link or QR code that only this citizen's phone can open. */
  certificateChoiceDeviceLink(id: string, options?: SessionOptions): Promise<DeviceLinkSession>;
  /** By push to the citizen's phone. */
  certificateChoiceNotification(
    id: string,
    options?: SessionOptions,
  ): Promise<CertificateChoiceSession>;
  /**
   * The signing certificate of a phone, without asking its owner.
   *
   * @throws SessionFailedError `DOCUMENT_UNUSABLE` when it cannot sign now
   */
  certificateOf(
    documentNumber: string,
    options?: Pick<SessionOptions, 'certificateLevel' | 'signal'>,
  ): Promise<SigningCertificate>;
}

/** 24 characters of base64; a nonce has at most 30. */
const NONCE_BYTES = 18;

type Target = Pick<SessionRequest, 'route' | 'params'>;

export function createCertificateChoice(requests: Requests): CertificateChoice {
  const start = (
    flow: SessionRequest['flow'],
    { route, params = {} }: Target,
    options: SessionOptions = {},
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
      const told = { nonce: randomChallenge(NONCE_BYTES), ...options };
      return readDeviceLinkSession(await start('device-link', { route: 'anonymous' }, told), '');
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
      if (state !== 'OK') throw new SessionFailedError(state);
      const cert = objectIn(answer, 'cert');
      return {
        certificateDerB64: required(cert, 'value'),
        certificateLevel: required(cert, 'certificateLevel'),
      };
    },
  };
}
