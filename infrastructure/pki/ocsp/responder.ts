import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../system.ts';
import type { CertificateAuthority } from '../../../application/ports/certificateAuthority.ts';
import type { CertificateStatuses } from '../../../application/certificate/ports/certificateStatuses.ts';
import type { Clock } from '../../../application/ports/clock.ts';
import { Overloaded, Unavailable } from '../../../application/ports/faults.ts';
import type { KeyVault } from '../../../application/ports/keyVault.ts';
import type {
  OcspReply,
  OcspResponder,
  PreparedOcspReply,
} from '../../../api/pki/ports/ocspResponder.ts';
import type { RevocationEvidence } from '../revocationEvidence.ts';
import type { ServiceIdentities } from '../../../application/certificate/ports/serviceIdentities.ts';
import { type IssuingCa, responderOf } from '../../../domain/shared/issuingCas.ts';
import type { NotificationFeed } from '../../../application/ports/notifications.ts';
import { derNull, derSequence, derUnsigned } from '../kernel/der.ts';
import { MalformedDer } from '../kernel/derReader.ts';
import { parseSignedCertificate } from '../parsedCertificate.ts';
import { keyIdentifierOf } from '../kernel/tbsCertificate.ts';
import {
  type CertificateId,
  type OcspRequest,
  readOcspRequest,
  UnknownCriticalExtension,
} from './request.ts';
import {
  type AnswerTime,
  answerTime,
  createStatusCache,
  derStatus,
  errorResponse,
  type errorStatus,
  type KnownStatus,
  type ResponderTemplate,
  responderTemplate,
  responseData,
  signedResponse,
  type Single,
} from './response.ts';
import { readCertificate } from '../kernel/certificate.ts';
import { issuerId } from '../kernel/ocsp.ts';

export interface OcspResponderOptions {
  readonly authority: CertificateAuthority;
  readonly identities: ServiceIdentities;
  readonly keyVault: Pick<KeyVault, 'sign'>;
  readonly statuses: CertificateStatuses;
  /** Notifies of changed certificates. */
  readonly feed: NotificationFeed;
  /** True while notifications arrive. */
  readonly isListening: () => boolean;
  readonly clock: Clock;
  /** Called on a failure other than an outage; the response was internalError. */
  readonly onFailure: (cause: unknown) => void;
  /** Validity of a response, ms; default one hour. */
  readonly validMs?: number;
}

/** The responder with its stop. Construction does no I/O; the identities must be started before the first request. */
export interface StoppableOcspResponder
  extends OcspResponder, Pick<RevocationEvidence, 'ocspResponse'> {
  stop(): void;
}

/** A signed response about one certificate, without a nonce: valid for every request until the status changes. */
interface Answer extends PreparedOcspReply {
  readonly status: KnownStatus;
  /** Time from which it is signed anew while still being served, ms since the epoch. */
  readonly renewAt: number;
  isRenewing: boolean;
}

interface Signer {
  readonly keyLabel: string;
  readonly notAfter: Date;
  readonly template: ResponderTemplate;
}

/** Longest request used as a cache key, bytes; requests of one certificate without extensions have some 70 to 110. */
const LONGEST_REMEMBERED = 160;

/** Cache key of a request; null: not cacheable. */
function keyOf(request: Buffer): string | null {
  return request.length > LONGEST_REMEMBERED ? null : request.toString('latin1');
}

const unknown = derStatus(null);

const errorReplies = Object.fromEntries(
  (['malformedRequest', 'internalError', 'tryLater', 'unauthorized'] as const).map((status) => [
    status,
    { body: errorResponse(status), lifetime: null },
  ]),
) as Readonly<Record<keyof typeof errorStatus, OcspReply>>;

/**
 * One responder for all issuing CAs (RFC 6960, RFC 5019). The first requested certificate that one of them may have
 * issued selects the delegated certificate that signs; certificates of another CA, or never issued, are `unknown`.
 * Responses without a nonce are cached by the bytes of the request, and dropped when the status changes; those with a
 * nonce are signed individually.
 */
export function createOcspResponder(options: OcspResponderOptions): StoppableOcspResponder {
  const { authority, identities, keyVault, clock, onFailure, validMs = 3_600_000 } = options;
  const statuses = createStatusCache(options);
  // Some 1.5 KB each.
  const answers = new LRUCache<string, Answer>(atMost(100_000));
  const signers = new Map<IssuingCa, Signer>();
  let authorities: ReadonlyMap<string, IssuingCa> | undefined;
  let time: AnswerTime | undefined;

  const unregister = identities.onRenewed(() => {
    signers.clear();
    answers.clear();
  });

  function authorityOf({ issuer }: CertificateId): IssuingCa | undefined {
    authorities ??= new Map(
      authority.issuingCas.flatMap((name) =>
        issuerIds(authority.issuer(name).certificate).map(
          (id) => [id.toString('latin1'), name] as const,
        ),
      ),
    );
    return authorities.get(issuer.toString('latin1'));
  }

  /** @throws Unavailable(issuingAuthority) when its certificate ended, as it does under a CA that the root revoked */
  function signerOf(name: IssuingCa): Signer {
    const signer = signers.get(name) ?? preparedSigner(name);
    if (signer.notAfter > clock.now()) return signer;
    throw new Unavailable(
      'issuingAuthority',
      new Error(`The certificate of ${responderOf(name)} expired and has no successor.`),
    );
  }

  function preparedSigner(name: IssuingCa): Signer {
    const { keyLabel, certificate, notAfter } = identities.current(responderOf(name));
    const keyHash = keyIdentifierOf(parseSignedCertificate(certificate).publicKey);
    const template = responderTemplate(keyHash, certificate, authority.issuer(name).notBefore);
    const signer = { keyLabel, notAfter, template };
    signers.set(name, signer);
    return signer;
  }

  function timeOf(notAfter: Date): AnswerTime {
    const second = Math.floor(clock.now().getTime() / 1000) * 1000;
    const next = Math.min(second + validMs, notAfter.getTime());
    if (time?.thisUpdate.getTime() !== second || time.nextUpdate.getTime() !== next) {
      time = answerTime(new Date(second), new Date(next));
    }
    return time;
  }

  async function sign(name: IssuingCa, singles: readonly Single[], nonce: Buffer | null) {
    const { keyLabel, notAfter, template } = signerOf(name);
    const time = timeOf(notAfter);
    const data = responseData(template, singles, time, nonce);
    const signature = await keyVault.sign(keyLabel, data, 'SHA256');
    const { thisUpdate, nextUpdate } = time;
    return { body: signedResponse(template, data, signature), thisUpdate, nextUpdate };
  }

  /** Status of a certificate of that CA; null: it issued no such certificate. */
  async function statusOf(id: CertificateId, name: IssuingCa): Promise<KnownStatus | null> {
    const status = statuses.recall(id.serial) ?? (await statuses.find(id.serial));
    return status?.authority === name && authorityOf(id) === name ? status : null;
  }

  async function answer(key: string | null, request: OcspRequest): Promise<OcspReply> {
    const { certificates, nonce } = request;
    const name = certificates.map(authorityOf).find((found) => found !== undefined);
    if (name === undefined) {
      // Of a generation that this process does not know: tryLater, where another one may answer.
      await Promise.all(certificates.map(({ serial }) => statuses.find(serial)));
      // RFC 5019 §2.2.3: no authority of this responder.
      return errorReplies.unauthorized;
    }
    const found = await Promise.all(certificates.map((id) => statusOf(id, name)));
    const singles = certificates.map(({ bytes: id }, index) => ({
      id,
      status: found[index]?.encoded ?? unknown,
    }));
    const { body, thisUpdate, nextUpdate } = await sign(name, singles, nonce);
    const status = found[0] ?? null;
    if (key === null || nonce !== null || singles.length > 1 || status === null) {
      return { body, lifetime: null };
    }
    const fingerprint = createHash('sha1').update(body).digest('hex');
    const lifetime = { thisUpdate, nextUpdate, fingerprint };
    const renewAt = (thisUpdate.getTime() + nextUpdate.getTime()) / 2;
    if (statuses.isCurrent(status)) {
      const text = body.toString('latin1');
      answers.set(key, { ...lifetime, text, status, renewAt, isRenewing: false });
    }
    return { body, lifetime };
  }

  async function respondAnew(key: string | null, request: Buffer): Promise<OcspReply> {
    try {
      return await answer(key, readOcspRequest(request));
    } catch (error) {
      if (error instanceof MalformedDer) return errorReplies.malformedRequest;
      if (error instanceof UnknownCriticalExtension) return errorReplies.unauthorized;
      if (error instanceof Unavailable || error instanceof Overloaded) return errorReplies.tryLater;
      onFailure(error);
      return errorReplies.internalError;
    }
  }

  /** Cached response to the same request; null when it must be signed. */
  function recall(key: string, request: Buffer): PreparedOcspReply | null {
    const remembered = answers.get(key);
    if (remembered === undefined || !statuses.isCurrent(remembered.status)) return null;
    const now = clock.now().getTime();
    if (now >= remembered.nextUpdate.getTime()) return null;
    if (now >= remembered.renewAt && !remembered.isRenewing) {
      remembered.isRenewing = true;
      void respondAnew(key, request).finally(() => {
        remembered.isRenewing = false;
      });
    }
    return remembered;
  }

  return {
    preparedReply(request) {
      const key = keyOf(request);
      return key === null ? null : recall(key, request);
    },
    respond(request) {
      const key = keyOf(request);
      const remembered = key === null ? null : recall(key, request);
      if (remembered === null) return respondAnew(key, request);
      return { body: Buffer.from(remembered.text, 'latin1'), lifetime: remembered };
    },
    async ocspResponse(name, serial) {
      const issuer = certificateIdParts(authority.issuer(name).certificate);
      const id = derSequence(issuer, derUnsigned(Buffer.from(serial, 'hex')));
      const status = await statuses.find(serial);
      const encoded = status?.authority === name ? status.encoded : unknown;
      const { body } = await sign(name, [{ id, status: encoded }], null);
      return body;
    },
    stop() {
      statuses.stop();
      unregister();
    },
  };
}

/**
 * The first three fields of CertID that identify this CA, DER, concatenated: hashed with SHA-1 and with SHA-256, the
 * algorithm's parameters NULL or absent.
 *
 * @param certificate the CA's, DER
 */
export function issuerIds(certificate: Buffer): readonly Buffer[] {
  const issuer = readCertificate(certificate);
  return (['sha1', 'sha256'] as const).flatMap((hash) => [
    issuerId(issuer, hash, [derNull]),
    issuerId(issuer, hash, []),
  ]);
}

/** CertID with SHA-1, which every verifier supports. @param certificate the CA's, DER */
export function certificateIdParts(certificate: Buffer): Buffer {
  return issuerId(readCertificate(certificate));
}
