import { byDocument, byEtsi } from './auth.ts';
import { type CertificateChoice, createCertificateChoice } from './certificateChoice.ts';
import { digestOf } from './crypto.ts';
import {
  requestedHash,
  type Requests,
  type SessionOptions,
  type SessionRequest,
} from './requests.ts';
import type {
  BatchDocument,
  DeviceLinkSession,
  HashAlgorithm,
  HashType,
  NotificationSession,
  Shown,
} from './types.ts';
import { readDeviceLinkSession, readNotificationSession } from './wire.ts';

/** Options of a signature. */
export interface SignOptions extends SessionOptions {
  /** Hash of the digest; default `SHA256`. */
  readonly hashType?: HashType;
  /** File name shown on the verification page: at most 120 characters, no path. */
  readonly fileName?: string;
}

/**
 * Starts signatures over a digest (specification, Signature). `rpChallenge` of the returned session is the empty string. The
 * digest is raw, base64, its length that of `hashType`. All reject with the errors of {@link ClientError}: 404 is an
 * {@link ApiError} with code `PERSON_NOT_FOUND` or `NO_SUITABLE_CERTIFICATE`.
 */
export interface Sign extends CertificateChoice {
  /**
   * Signature by push to the citizen's phone.
   *
   * @param id `PNOMN-<civil id>`, a civil id or a registration number
   */
  digestByEtsi(
    id: string,
    digestB64: string,
    interactions: Shown,
    options?: SignOptions,
  ): Promise<NotificationSession>;
  /** Signature by push to one phone. */
  digestByDocument(
    documentNumber: string,
    digestB64: string,
    interactions: Shown,
    options?: SignOptions,
  ): Promise<NotificationSession>;
  /**
   * Signatures by push over several documents, 2 to 20, all or none, with one PIN. Always first generation; read them by
   * `validateBatch`.
   *
   * @param documents in the order of the signatures
   * @param interactions text over all of them
   */
  batchByEtsi(
    id: string,
    documents: readonly BatchDocument[],
    interactions: Shown,
    options?: SessionOptions,
  ): Promise<NotificationSession>;
  /** Signatures over several documents by push to one phone. */
  batchByDocument(
    documentNumber: string,
    documents: readonly BatchDocument[],
    interactions: Shown,
    options?: SessionOptions,
  ): Promise<NotificationSession>;
  /** Signature by push over `text` (UTF-8), hashed with `hashType`. */
  textByEtsi(
    id: string,
    text: string,
    interactions: Shown,
    options?: SignOptions,
  ): Promise<NotificationSession>;
  /** Signature by link or QR code that only this citizen's phone can open. */
  deviceLinkByEtsi(
    id: string,
    digestB64: string,
    interactions: Shown,
    options?: SignOptions,
  ): Promise<DeviceLinkSession>;
  /** Signature by link or QR code that only this phone can open: the same-device flow. */
  deviceLinkByDocument(
    documentNumber: string,
    digestB64: string,
    interactions: Shown,
    options?: SignOptions,
  ): Promise<DeviceLinkSession>;
  /**
   * Signature on the phone that has just answered a certificate choice by device link. Always
   * second generation.
   */
  linkedDigest(
    choice: AnsweredChoice,
    digestB64: string,
    interactions: Shown,
    options?: SignOptions,
  ): Promise<NotificationSession>;
}

/** A certificate choice answered with OK. */
export interface AnsweredChoice {
  /** Session of the choice. */
  readonly sessionId: string;
  /** Document number of its result. */
  readonly documentNumber: string;
}

type Target = Pick<SessionRequest, 'route' | 'params'>;
type Rest = [digestB64: string, interactions: Shown, options?: SignOptions];

type BatchRest = [interactions: Shown, options?: SessionOptions | undefined];

export function createSign(requests: Requests): Sign {
  function start(
    flow: SessionRequest['flow'],
    { route, params = {} }: Target,
    rest: Rest,
    linkedSessionID?: string,
  ) {
    const [digest, interactions, options = {}] = rest;
    const { hashType = 'SHA256', fileName } = options;
    return requests.start({
      flow,
      protocol: 'RAW_DIGEST_SIGNATURE',
      route: `/signature/${flow}/${route}`,
      params,
      interactions,
      challengeOrDigest: digest,
      hashAlgorithm: hashAlgorithmOf[hashType],
      flatInput: { digest, hashType },
      extra: { fileName, linkedSessionID },
      options,
    });
  }

  async function notification(target: Target, ...rest: Rest): Promise<NotificationSession> {
    return readNotificationSession(await start('notification', target, rest), '');
  }

  async function deviceLink(target: Target, ...rest: Rest): Promise<DeviceLinkSession> {
    return readDeviceLinkSession(await start('device-link', target, rest), '');
  }

  async function batch(
    { route, params = {} }: Target,
    documents: readonly BatchDocument[],
    [interactions, options = {}]: BatchRest,
  ): Promise<NotificationSession> {
    const started = await requests.start({
      flow: 'notification',
      protocol: 'RAW_DIGEST_SIGNATURE',
      route: `/signature/notification/${route}`,
      params,
      interactions,
      challengeOrDigest: '',
      hashAlgorithm: 'SHA-256',
      flatInput: { documents },
      options: { ...options, generation: 'G1' },
    });
    return readNotificationSession(started, '');
  }

  return {
    batchByEtsi: (id, documents, ...rest) => batch(byEtsi(id), documents, rest),
    batchByDocument: (number, documents, ...rest) => batch(byDocument(number), documents, rest),
    digestByEtsi: (id, ...rest) => notification(byEtsi(id), ...rest),
    digestByDocument: (number, ...rest) => notification(byDocument(number), ...rest),
    textByEtsi: (id, text, interactions, options = {}) => {
      const algorithm = requestedHash(options, hashAlgorithmOf[options.hashType ?? 'SHA256']);
      const digest = digestOf(text, algorithm).toString('base64');
      return notification(byEtsi(id), digest, interactions, options);
    },
    deviceLinkByEtsi: (id, ...rest) => deviceLink(byEtsi(id), ...rest),
    deviceLinkByDocument: (number, ...rest) => deviceLink(byDocument(number), ...rest),
    linkedDigest: async ({ sessionId, documentNumber }, digest, interactions, options) => {
      const target = { route: 'linked/{documentNumber}', params: { documentNumber } };
      const rest: Rest = [digest, interactions, { ...options, generation: 'G2' }];
      return readNotificationSession(await start('notification', target, rest, sessionId), '');
    },
    ...createCertificateChoice(requests),
  };
}

const hashAlgorithmOf: Readonly<Record<HashType, HashAlgorithm>> = {
  SHA256: 'SHA-256',
  SHA384: 'SHA-384',
  SHA512: 'SHA-512',
};
