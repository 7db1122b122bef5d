import type {
  CertificateStatus,
  CertificateStatuses,
} from '../../../application/certificate/ports/certificateStatuses.ts';
import {
  derExplicit,
  derExtension,
  derGeneralizedTime,
  derOctetString,
  derOid,
  derSequence,
  derValue,
} from '../kernel/der.ts';
import { derTag } from '../kernel/derReader.ts';
import { oid } from '../kernel/oids.ts';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../system.ts';
import { referenceDataTopic, revocationListTopic } from '../../../domain/shared/streams.ts';
import { type NotificationFeed } from '../../../application/ports/notifications.ts';
import { Unavailable } from '../../../application/ports/faults.ts';
import type { IssuingAuthority } from '../../../domain/certificate/events.ts';

/** OCSPResponseStatus (RFC 6960 §4.2.1) of responses without a certificate status. */
export const errorStatus = {
  malformedRequest: 1,
  internalError: 2,
  tryLater: 3,
  unauthorized: 6,
} as const;

const enumerated = (value: number) => derValue(0x0a, Buffer.from([value]));

/** An unsigned OCSPResponse with an error status. */
export function errorResponse(status: keyof typeof errorStatus): Buffer {
  return derSequence(enumerated(errorStatus[status]));
}

/** GeneralizedTime without a fraction (RFC 5019 §2.2.4). */
function derSeconds(time: Date): Buffer {
  return derGeneralizedTime(new Date(Math.floor(time.getTime() / 1000) * 1000));
}

const good = derValue(0x80);
const unknown = derValue(0x82);

/** CertStatus; null: unknown certificate. */
export function derStatus(status: Pick<CertificateStatus, 'revocation'> | null): Buffer {
  if (status === null) return unknown;
  const { revocation } = status;
  if (revocation === null) return good;
  // RFC 5280 §5.3.1: unspecified (0) is expressed by omission.
  const reason = revocation.reason === 0 ? [] : [derExplicit(0, enumerated(revocation.reason))];
  return derValue(0xa1, derSeconds(revocation.at), ...reason);
}

/** One SingleResponse. */
export interface Single {
  /** CertID, DER. */
  readonly id: Buffer;
  /** CertStatus, DER. */
  readonly status: Buffer;
}

/** Parts shared by all responses signed with one responder certificate, encoded once. */
export interface ResponderTemplate {
  /** ResponderID by key, DER (RFC 5019 §2.2.1). */
  readonly responderId: Buffer;
  /** singleExtensions, DER: archive cutoff, since when statuses of expired certificates are kept (RFC 6960 §4.4.4). */
  readonly singleExtensions: Buffer;
  /** certs, DER: the responder's certificate. */
  readonly certificates: Buffer;
}

/** @param keyHash SHA-1 of the responder's public key @param keptSince start of the CA: no status is ever dropped */
export function responderTemplate(
  keyHash: Buffer,
  certificate: Buffer,
  keptSince: Date,
): ResponderTemplate {
  return {
    responderId: derExplicit(2, derOctetString(keyHash)),
    singleExtensions: derExplicit(
      1,
      derSequence(derExtension(oid.ocspArchiveCutoff, derSeconds(keptSince))),
    ),
    certificates: derExplicit(0, derSequence(certificate)),
  };
}

/** Validity of a response. */
export interface AnswerTime {
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
  /** GeneralizedTime, and nextUpdate with its tag, DER. */
  readonly encoded: { readonly thisUpdate: Buffer; readonly nextUpdate: Buffer };
}

/** Shared by all responses of one second. */
export function answerTime(thisUpdate: Date, nextUpdate: Date): AnswerTime {
  const encoded = {
    thisUpdate: derSeconds(thisUpdate),
    nextUpdate: derExplicit(0, derSeconds(nextUpdate)),
  };
  return { thisUpdate, nextUpdate, encoded };
}

const sequence = (...parts: readonly DerPart[]) => derAround(derTag.sequence, ...parts);
const explicit = (number: number, part: DerPart) => derAround(derTag.constructed(number), part);

/** ResponseData (RFC 6960 §4.2.1), DER, to be signed. */
export function responseData(
  { responderId, singleExtensions }: ResponderTemplate,
  singles: readonly Single[],
  { encoded: { thisUpdate, nextUpdate } }: AnswerTime,
  nonce: Buffer | null,
): Buffer {
  const responses = singles.map(({ id, status }) =>
    sequence(id, status, thisUpdate, nextUpdate, singleExtensions),
  );
  const parts = [responderId, thisUpdate, sequence(...responses)];
  if (nonce !== null) {
    parts.push(explicit(1, sequence(sequence(nonceId, derAround(derTag.octetString, nonce)))));
  }
  return derWhole(sequence(...parts));
}

const nonceId = derOid(oid.ocspNonce);
const successful = enumerated(0);
const basic = derOid(oid.ocspBasic);
const ecdsaWithSha256 = derSequence(derOid(oid.ecdsaWithSha256));
const wholeBytes = Buffer.alloc(1);

/** An OCSPResponse around signed data. @param signature ECDSA with SHA-256, DER */
export function signedResponse(
  { certificates }: ResponderTemplate,
  data: Buffer,
  signature: Buffer,
): Buffer {
  const bits = derAround(derTag.bitString, wholeBytes, signature);
  const response = sequence(data, ecdsaWithSha256, bits, certificates);
  const bytes = sequence(basic, derAround(derTag.octetString, response));
  return derWhole(sequence(successful, explicit(0, bytes)));
}

/** A constructed value, not yet written. */
interface Constructed {
  readonly tag: number;
  readonly parts: readonly DerPart[];
  /** Of the content, bytes. */
  readonly contentLength: number;
  /** With tag and length, bytes. */
  readonly length: number;
}

/** Encoded DER, or a constructed value. */
type DerPart = Uint8Array | Constructed;

/**
 * A constructed value of that tag around `parts`, written by {@link derWhole}: copies once what the nested writers of
 * `der.ts` copy once a level. For values encoded thousands of times a second.
 */
function derAround(tag: number, ...parts: readonly DerPart[]): DerPart {
  let contentLength = 0;
  for (const { length } of parts) contentLength += length;
  return { tag, parts, contentLength, length: 1 + lengthSize(contentLength) + contentLength };
}

/** Writes the complete value at once. */
function derWhole(part: DerPart): Buffer {
  const whole = Buffer.allocUnsafe(part.length);
  write(part, whole, 0);
  return whole;
}

function write(part: DerPart, target: Buffer, offset: number): number {
  if (part instanceof Uint8Array) {
    target.set(part, offset);
    return offset + part.length;
  }
  target[offset] = part.tag;
  let next = writeLength(part.contentLength, target, offset + 1);
  for (const inner of part.parts) next = write(inner, target, next);
  return next;
}

function lengthSize(length: number): number {
  if (length < 0x80) return 1;
  if (length < 0x100) return 2;
  return length < 0x10000 ? 3 : 4;
}

function writeLength(length: number, target: Buffer, offset: number): number {
  const size = lengthSize(length);
  if (size === 1) return target.writeUInt8(length, offset);
  target.writeUInt8(0x80 | (size - 1), offset);
  return target.writeUIntBE(length, offset + 1, size - 1);
}

/** Status of one issued certificate at the time it was read. */
export interface KnownStatus {
  readonly authority: IssuingAuthority;
  /** CertStatus, DER. */
  readonly encoded: Buffer;
}

export interface StatusCache {
  /** True while no change was announced since reading. */
  isCurrent(status: KnownStatus): boolean;
  /** The cached status; undefined when it must be read. */
  recall(serial: string): KnownStatus | undefined;
  /** Reads the status; null when no such certificate was issued. @throws Unavailable */
  find(serial: string): Promise<KnownStatus | null>;
  stop(): void;
}

export interface StatusCacheOptions {
  readonly statuses: CertificateStatuses;
  /** Notifies of changed certificates. */
  readonly feed: NotificationFeed;
  /** True while notifications arrive; otherwise the cache is not used. */
  readonly isListening: () => boolean;
  /** Statuses cached at most; default 200,000 (some 200 bytes each). */
  readonly max?: number;
}

/** Serials per query at most. */
const BATCH = 500;

/** Prefix of certificate topics; the serial follows. */
const TOPIC = referenceDataTopic('certificate', '');

interface Entry extends KnownStatus {
  /** Generation of invalidations it was checked against. */
  generation: number;
  isDropped: boolean;
}

interface Question {
  readonly serial: string;
  readonly answer: Promise<KnownStatus | null>;
  readonly resolve: (status: KnownStatus | null) => void;
  readonly reject: (cause: unknown) => void;
  /** Set when the certificate changed during the query: the result is returned, but not cached. */
  isOvertaken: boolean;
}

/**
 * Caches statuses until a projection announces a change. After a gap in notifications everything is read again before
 * use, and unchanged statuses keep their object identity. Queries of one turn of the event loop are batched.
 */
export function createStatusCache({
  statuses,
  feed,
  isListening,
  max = 200_000,
}: StatusCacheOptions): StatusCache {
  const entries = new LRUCache<string, Entry>({
    ...atMost(max),
    dispose: (entry) => {
      entry.isDropped = true;
    },
  });
  const questions = new Map<string, Question>();
  let waiting: Question[] = [];
  let generation = 0;

  const ofRoot = revocationListTopic('root');
  const stop = feed.subscribe(['certificate', 'crl'], (topics) => {
    // The root's list may revoke an issuing CA, and with it all that the CA issued.
    if (topics === 'all' || topics.includes(ofRoot)) {
      generation += 1;
      for (const question of questions.values()) question.isOvertaken = true;
      return;
    }
    for (const topic of topics) {
      if (!topic.startsWith(TOPIC)) continue;
      const serial = topic.slice(TOPIC.length);
      entries.delete(serial);
      const question = questions.get(serial);
      if (question !== undefined) question.isOvertaken = true;
    }
  });

  const isValid = (entry: Entry) => entry.generation === generation && isListening();

  /** Returns the cached entry that a fresh status confirms, or stores a new one. */
  function remember(serial: string, read: KnownStatus): KnownStatus {
    const known = entries.peek(serial);
    if (known?.authority === read.authority && known.encoded.equals(read.encoded)) {
      known.generation = generation;
      return known;
    }
    const entry = { ...read, generation, isDropped: false };
    entries.set(serial, entry);
    return entry;
  }

  async function ask(asked: readonly Question[]): Promise<void> {
    try {
      const found = new Map<string, KnownStatus | Unavailable>();
      for (const status of await statuses.statuses(asked.map(({ serial }) => serial))) {
        if ('unavailable' in status) found.set(status.serial, status.unavailable);
        else {
          const { serial, authority } = status;
          found.set(serial, { authority, encoded: derStatus(status) });
        }
      }
      for (const question of asked) {
        const { serial, isOvertaken } = question;
        forget(question);
        const read = found.get(serial) ?? null;
        if (read instanceof Unavailable) question.reject(read);
        else question.resolve(read === null || isOvertaken ? read : remember(serial, read));
      }
    } catch (error) {
      for (const question of asked) {
        forget(question);
        question.reject(error);
      }
    }
  }

  function forget(question: Question): void {
    if (questions.get(question.serial) === question) questions.delete(question.serial);
  }

  function askAll(): void {
    const asked = waiting;
    waiting = [];
    for (let first = 0; first < asked.length; first += BATCH) {
      void ask(asked.slice(first, first + BATCH));
    }
  }

  return {
    isCurrent: (status) => !(status as Entry).isDropped && isValid(status as Entry),
    recall(serial) {
      const entry = entries.get(serial);
      return entry !== undefined && isValid(entry) ? entry : undefined;
    },
    find(serial) {
      const known = questions.get(serial);
      if (known?.isOvertaken === false) return known.answer;
      const question = newQuestion(serial);
      questions.set(serial, question);
      if (waiting.length === 0) setImmediate(askAll);
      waiting.push(question);
      return question.answer;
    },
    stop,
  };
}

function newQuestion(serial: string): Question {
  let resolve: Question['resolve'] = () => undefined;
  let reject: Question['reject'] = () => undefined;
  const answer = new Promise<KnownStatus | null>((onRead, onFailed) => {
    resolve = onRead;
    reject = onFailed;
  });
  return { serial, answer, resolve, reject, isOvertaken: false };
}
