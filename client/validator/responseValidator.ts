import type { X509Certificate } from 'node:crypto';
import { buildAcspV2Payload, decodeBase64 } from '../crypto.ts';
import { SessionFailedError, ValidationError } from '../errors.ts';
import type { CertificateLevel, SessionResult, TrustSettings } from '../types.ts';
import {
  type CertificateDetails,
  type CertificateSubject,
  readCertificate,
  readPemBundle,
} from './certificate.ts';
import { buildChain, isWithinValidity } from './chain.ts';
import { DEFAULT_POLICY_ARC, meetsLevel, provenLevel } from './level.ts';
import { enforceRevocation } from './revocation.ts';
import { checkDigestSignature, checkPayloadSignature } from './signature.ts';

export interface ValidatedAuthentication {
  /** The device that answered. */
  readonly documentNumber: string;
  readonly certificate: X509Certificate;
  readonly subject: CertificateSubject;
  /** What the certificate proves, never more than the response claims. */
  readonly certificateLevel: CertificateLevel;
}

export interface ValidatedSignature {
  readonly documentNumber: string;
  readonly signatureValueB64: string;
  readonly signatureAlgorithm: string;
  readonly certificate: X509Certificate;
  readonly subject: CertificateSubject;
}

/** What a response must hold to be looked at. */
interface CompleteResponse {
  readonly documentNumber: string;
  readonly certificate: CertificateDetails;
  readonly claimedLevel: string;
  readonly signature: Buffer;
  readonly algorithm: string;
}

/** Digest lengths in bytes that the service signs. */
const DIGEST_LENGTHS: readonly number[] = [32, 48, 64];

/** A challenge shorter than this could be guessed or repeat, bytes. */
const LEAST_CHALLENGE_BYTES = 32;

/**
 * Decides whether a polled session is true: `endResult` OK alone proves nothing. In order: complete and OK; the
 * certificate chains to a trust anchor, is valid now, is of the kind and level needed; the signature verifies.
 */
export class ResponseValidator {
  readonly #trust: TrustSettings;
  readonly #anchors: readonly CertificateDetails[];
  readonly #intermediates: readonly CertificateDetails[];
  readonly #now: () => Date;

  /**
   * @param now the time validity is judged at; default: the system clock
   * @throws Error when a PEM text is malformed
   */
  constructor(trust: TrustSettings = {}, now: () => Date = () => new Date()) {
    this.#trust = trust;
    this.#anchors = readPemBundle(trust.trustAnchorsPem);
    this.#intermediates = readPemBundle(trust.intermediatesPem);
    this.#now = now;
  }

  /**
   * Checks an authentication against the challenge that was sent for it.
   *
   * @throws SessionFailedError when the citizen did not confirm
   * @throws ValidationError when the response must not be believed
   */
  validateAuth(result: SessionResult, rpChallengeB64: string): ValidatedAuthentication {
    const response = readResponse(result);
    const challenge = decodeBase64(rpChallengeB64);
    if (challenge === null || challenge.length < LEAST_CHALLENGE_BYTES) {
      throw new ValidationError('INPUT_INVALID', 'rpChallenge is not base64 of 32 bytes or more.');
    }
    const certificateLevel = this.#checkCertificate(response, 'digitalSignature');
    const { publicKey } = response.certificate.x509;
    const spki = publicKey.export({ type: 'spki', format: 'der' });
    checkPayloadSignature({ ...response, publicKey }, buildAcspV2Payload(rpChallengeB64, spki));
    return {
      documentNumber: response.documentNumber,
      certificate: response.certificate.x509,
      subject: response.certificate.subject,
      certificateLevel,
    };
  }

  /**
   * Checks a signature against the digest that was to be signed: the relying party's own, not one it was told.
   *
   * @param digestB64 raw digest, base64
   * @throws SessionFailedError when the citizen did not confirm
   * @throws ValidationError when the response must not be believed
   */
  validateSign(result: SessionResult, digestB64: string): ValidatedSignature {
    const response = readResponse(result);
    const digest = decodeBase64(digestB64);
    if (digest === null || !DIGEST_LENGTHS.includes(digest.length)) {
      throw new ValidationError('INPUT_INVALID', 'The digest is not base64 of 32, 48 or 64 bytes.');
    }
    this.#checkCertificate(response, 'nonRepudiation');
    const { publicKey } = response.certificate.x509;
    checkDigestSignature({ ...response, publicKey }, digest);
    return {
      documentNumber: response.documentNumber,
      signatureValueB64: response.signature.toString('base64'),
      signatureAlgorithm: response.algorithm,
      certificate: response.certificate.x509,
      subject: response.certificate.subject,
    };
  }

  /**
   * Asks the configured checker; call it after validation. Without a checker it does nothing.
   *
   * @throws ValidationError REVOKED, or REVOCATION_UNKNOWN in hard-fail mode
   */
  async checkRevocation(certificate: X509Certificate): Promise<void> {
    const { revocation: checker, revocationMode: mode = 'hard-fail' } = this.#trust;
    if (checker === undefined) return;
    const path = this.#chainOf(readCertificate(certificate.raw));
    await enforceRevocation(certificate, path[1]?.x509 ?? null, { checker, mode });
  }

  #checkCertificate(
    { certificate, claimedLevel }: CompleteResponse,
    usage: 'digitalSignature' | 'nonRepudiation',
  ): CertificateLevel {
    this.#chainOf(certificate);
    if (!isWithinValidity(certificate.x509, this.#now(), this.#trust.clockSkewMs ?? 0)) {
      throw new ValidationError(
        'CERTIFICATE_NOT_VALID_NOW',
        'The certificate is not valid at this time.',
      );
    }
    // The two kinds of certificate must not stand in for each other: PIN1 never signs, PIN2 never authenticates.
    if (certificate.isCa || certificate.keyUsage?.[usage] !== true) {
      throw new ValidationError('KEY_USAGE_WRONG', `The certificate's key is not for ${usage}.`);
    }
    return this.#checkLevel(certificate, claimedLevel);
  }

  #checkLevel(certificate: CertificateDetails, claimedLevel: string): CertificateLevel {
    const proven = provenLevel(certificate, this.#trust.policyArc ?? DEFAULT_POLICY_ARC);
    const required = this.#trust.requiredLevel ?? 'QUALIFIED';
    if (proven === null || !meetsLevel(proven, required)) {
      throw new ValidationError('LEVEL_TOO_LOW', `The certificate does not prove ${required}.`);
    }
    const claimed = (['ADVANCED', 'QUALIFIED', 'QSCD'] as const).find(
      (level) => level === claimedLevel,
    );
    if (claimed === undefined || !meetsLevel(claimed, required)) {
      throw new ValidationError('LEVEL_TOO_LOW', `The response does not claim ${required}.`);
    }
    return meetsLevel(proven, claimed) ? claimed : proven;
  }

  #chainOf(certificate: CertificateDetails): readonly CertificateDetails[] {
    if (certificate.unknownCritical.length > 0) {
      throw new ValidationError(
        'CERTIFICATE_MALFORMED',
        'The certificate has a critical extension that is not understood.',
      );
    }
    if (this.#anchors.length === 0) {
      if (this.#trust.allowUntrusted === true) return [certificate];
      throw new ValidationError('NO_TRUST_ANCHOR', 'trust.trustAnchorsPem is empty.');
    }
    return buildChain(certificate, {
      anchors: this.#anchors,
      intermediates: this.#intermediates,
      now: this.#now(),
      clockSkewMs: this.#trust.clockSkewMs ?? 0,
    });
  }
}

function readResponse(result: SessionResult): CompleteResponse {
  if (result.state !== 'COMPLETE' || result.endResult !== 'OK') {
    throw new SessionFailedError(result.endResult);
  }
  return {
    documentNumber: present(result.documentNumber, 'documentNumber'),
    certificate: readDer(bytesOf(result.certificateDerB64, 'certificate')),
    claimedLevel: present(result.certificateLevel, 'certificateLevel'),
    signature: bytesOf(result.signatureValueB64, 'signature'),
    algorithm: present(result.signatureAlgorithm, 'signatureAlgorithm'),
  };
}

function present(value: string | null, field: string): string {
  if (value === null || value === '') {
    throw new ValidationError('RESPONSE_INCOMPLETE', `The response has no ${field}.`);
  }
  return value;
}

function bytesOf(value: string | null, field: string): Buffer {
  const bytes = decodeBase64(present(value, field));
  if (bytes === null) {
    throw new ValidationError('RESPONSE_INCOMPLETE', `The response's ${field} is not base64.`);
  }
  return bytes;
}

function readDer(der: Buffer): CertificateDetails {
  try {
    return readCertificate(der);
  } catch (error) {
    throw new ValidationError('CERTIFICATE_MALFORMED', 'The certificate cannot be read.', error);
  }
}
