import type { X509Certificate } from 'node:crypto';
import { buildAcspV2Payload, buildNestedPayload, decodeBase64 } from '../crypto.ts';
import { SessionFailedError, ValidationError } from '../errors.ts';
import type { SealResult } from '../seal.ts';
import type {
  CallOptions,
  CertificateLevel,
  SentRequest,
  SessionResult,
  TrustSettings,
} from '../types.ts';
import { type AgreedAlgorithm, agreeFlat, agreeNested, digestLength } from './algorithms.ts';
import {
  type CertificateDetails,
  type CertificateSubject,
  readCertificate,
  readPemBundle,
} from './certificate.ts';
import { type ChainBuilder, createChainBuilder, isWithinValidity } from './chain.ts';
import { createKeyCache, type VerificationKey } from './keys.ts';
import { DEFAULT_POLICY_ARC, meetsLevel, provenLevel } from './level.ts';
import { readNestedAnswer } from './nestedAnswer.ts';
import { type CertificatePurpose, isForPurpose } from './purpose.ts';
import { enforceRevocation } from './revocation.ts';
import { checkDigestSignature, checkPayloadSignature } from './signature.ts';

/** A login that may be believed. */
export interface ValidatedAuthentication {
  /** The device that answered. */
  readonly documentNumber: string;
  /** Parsed by Node when first asked for. */
  readonly certificate: X509Certificate;
  /** Whom the certificate was issued to. */
  readonly subject: CertificateSubject;
  /** What the certificate proves, never more than the response claims. */
  readonly certificateLevel: CertificateLevel;
}

/** A signature that may be believed. */
export interface ValidatedSignature {
  /** The device that signed. */
  readonly documentNumber: string;
  /** Base64, for ECDSA of a DER sequence. */
  readonly signatureValueB64: string;
  /** As received; agreed on with the request. */
  readonly signatureAlgorithm: string;
  /** Parsed by Node when first asked for. */
  readonly certificate: X509Certificate;
  /** Whom the certificate was issued to. */
  readonly subject: CertificateSubject;
}

/** A seal that may be believed. */
export interface ValidatedSeal {
  /** What the certificate proves, never more than the answer claims. */
  readonly certificateLevel: CertificateLevel;
  /** Parsed by Node when first asked for. */
  readonly certificate: X509Certificate;
  /** The organization the certificate was issued to. */
  readonly subject: CertificateSubject;
}

/** What was started: any session this library returned, or what was kept of it. */
export interface StartedSession {
  /** Base64; empty for a signature. */
  readonly rpChallenge: string;
  /** The request as it was sent, of the second generation only. */
  readonly request?: SentRequest;
}

/** Whom the answer must come from, where the relying party knows. */
export interface ExpectedPerson {
  /** `PNOMN-<civil id>`: the certificate must be this person's. */
  readonly personEtsi?: string;
  /** The device that must have answered. */
  readonly documentNumber?: string;
}

/** What a signature must fit beside its digest, where the relying party knows. */
export interface SignExpectation extends ExpectedPerson {
  /** The session, when it is of the second generation: says which algorithm was requested. */
  readonly session?: StartedSession;
}

/** What a response must hold to be looked at. */
interface CompleteResponse {
  readonly documentNumber: string;
  readonly certificate: CertificateDetails;
  readonly claimedLevel: string;
  readonly signature: Buffer;
}

/** Digest lengths in bytes that the service signs. */
const DIGEST_LENGTHS: readonly number[] = [32, 48, 64];

/** A challenge shorter than this could be guessed or repeat, bytes. */
const LEAST_CHALLENGE_BYTES = 32;

/**
 * Decides whether a polled session is true: `endResult` OK alone proves nothing. In order: complete and OK, an answer
 * of the generation that asked; the certificate chains to a trust anchor, is valid now, is of the kind and level
 * needed; the signature is of the algorithm agreed on and verifies.
 */
export class ResponseValidator {
  readonly #trust: TrustSettings;
  readonly #hasAnchors: boolean;
  readonly #chains: ChainBuilder;
  readonly #keyOf = createKeyCache();
  readonly #now: () => Date;

  /**
   * @param now the time validity is judged at; default: the system clock
   * @throws Error when a PEM text is malformed
   */
  constructor(trust: TrustSettings = {}, now: () => Date = () => new Date()) {
    const anchors = readPemBundle(trust.trustAnchorsPem);
    this.#trust = trust;
    this.#hasAnchors = anchors.length > 0;
    this.#chains = createChainBuilder(anchors, readPemBundle(trust.intermediatesPem));
    this.#now = now;
  }

  /**
   * Checks an authentication against the challenge that was sent for it.
   *
   * @param asked the challenge, base64, of a first-generation session; or the session as it was returned, which a
   *   second-generation answer cannot be checked without
   * @throws SessionFailedError when the citizen did not confirm
   * @throws ValidationError when the response must not be believed
   */
  validateAuth(
    result: SessionResult,
    asked: string | StartedSession,
    expected: ExpectedPerson = {},
  ): ValidatedAuthentication {
    const session: StartedSession = typeof asked === 'string' ? { rpChallenge: asked } : asked;
    const { request } = session;
    const response = readResponse(result);
    const rpChallenge = request?.challengeOrDigest ?? session.rpChallenge;
    const challenge = decodeBase64(rpChallenge);
    if (challenge === null || challenge.length < LEAST_CHALLENGE_BYTES) {
      throw new ValidationError('INPUT_INVALID', 'rpChallenge is not base64 of 32 bytes or more.');
    }
    expectProtocol(result, request, 'ACSP_V2');
    const certificateLevel = this.#checkCertificate(response, 'digitalSignature');
    expectPerson(response, expected);
    const key = this.#leafKey(response.certificate);
    const payload =
      request === undefined
        ? buildAcspV2Payload(rpChallenge, response.certificate.spki)
        : nestedPayload(result, request);
    const algorithm = agreedAlgorithm(result, key, request);
    checkPayloadSignature({ key, algorithm, signature: response.signature }, payload);
    return outcomeOf(response, { certificateLevel });
  }

  /**
   * Checks a signature against the digest that was to be signed: the relying party's own, not one it was told. Whoever
   * signed is in `subject`: compare it, or name the person expected.
   *
   * @param digestB64 raw digest, base64
   * @throws SessionFailedError when the citizen did not confirm
   * @throws ValidationError when the response must not be believed
   */
  validateSign(
    result: SessionResult,
    digestB64: string,
    { session, ...expected }: SignExpectation = {},
  ): ValidatedSignature {
    const response = readResponse(result);
    const digest = decodeBase64(digestB64);
    const request = session?.request;
    if (digest === null || !DIGEST_LENGTHS.includes(digest.length)) {
      throw new ValidationError('INPUT_INVALID', 'The digest is not base64 of 32, 48 or 64 bytes.');
    }
    if (request !== undefined && !isFor(request, digest)) {
      throw new ValidationError('INPUT_INVALID', 'The session was started for another digest.');
    }
    expectProtocol(result, request, 'RAW_DIGEST_SIGNATURE');
    this.#checkCertificate(response, 'nonRepudiation');
    expectPerson(response, expected);
    const key = this.#leafKey(response.certificate);
    const algorithm = agreedAlgorithm(result, key, request);
    checkDigestSignature({ key, algorithm, signature: response.signature }, digest);
    return outcomeOf(response, {
      signatureValueB64: response.signature.toString('base64'),
      signatureAlgorithm: present(result.signatureAlgorithm, 'signatureAlgorithm'),
    });
  }

  /**
   * Checks a seal over the digest that was to be sealed, by the organization that was to seal.
   *
   * @param digestB64 raw digest, base64
   * @param orgEtsi `NTRMN-<register>`, either case: the certificate must be this organization's
   * @throws ValidationError when the seal must not be believed
   */
  validateSeal(seal: SealResult, digestB64: string, orgEtsi: string): ValidatedSeal {
    const digest = decodeBase64(digestB64);
    if (digest === null || !DIGEST_LENGTHS.includes(digest.length)) {
      throw new ValidationError('INPUT_INVALID', 'The digest is not base64 of 32, 48 or 64 bytes.');
    }
    const certificate = readDer(bytesOf(seal.certificateDerB64, 'certificate'));
    const signature = bytesOf(seal.signatureValueB64, 'signature');
    const claimedLevel = present(seal.certificateLevel, 'certificateLevel');
    const certificateLevel = this.#checkCertificate(
      { certificate, claimedLevel },
      'nonRepudiation',
    );
    const wanted = orgEtsi.normalize('NFC').trim().toUpperCase();
    if (certificate.subject.organizationIdentifier !== wanted) {
      throw new ValidationError('ORGANIZATION_MISMATCH', 'Another organization has sealed.');
    }
    const key = this.#leafKey(certificate);
    const algorithm = agreeFlat(seal, key);
    if (algorithm.length !== digest.length) {
      throw new ValidationError(
        'ALGORITHM_UNSUPPORTED',
        'The signature algorithm does not suit the digest.',
      );
    }
    checkDigestSignature({ key, algorithm, signature }, digest);
    return {
      certificateLevel,
      get certificate() {
        return certificate.x509;
      },
      subject: certificate.subject,
    };
  }

  /**
   * Asks the configured checker; call it after validation. Without a checker it does nothing.
   *
   * @throws ValidationError REVOKED, or REVOCATION_UNKNOWN in hard-fail mode; CHAIN_UNTRUSTED when nobody known issued it
   */
  async checkRevocation(certificate: X509Certificate, options: CallOptions = {}): Promise<void> {
    const { revocation: checker, revocationMode: mode = 'hard-fail' } = this.#trust;
    if (checker === undefined) return;
    const path = this.#chainOf(readDer(certificate.raw));
    await enforceRevocation(certificate, path[1]?.x509 ?? null, { ...options, checker, mode });
  }

  #checkCertificate(
    { certificate, claimedLevel }: Pick<CompleteResponse, 'certificate' | 'claimedLevel'>,
    purpose: CertificatePurpose,
  ): CertificateLevel {
    this.#chainOf(certificate);
    if (!isWithinValidity(certificate, this.#moment())) {
      throw new ValidationError(
        'CERTIFICATE_NOT_VALID_NOW',
        'The certificate is not valid at this time.',
      );
    }
    if (!isForPurpose(certificate, purpose)) {
      throw new ValidationError('KEY_USAGE_WRONG', `The certificate's key is not for ${purpose}.`);
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
    if (this.#hasAnchors) return this.#chains.build(certificate, this.#moment());
    if (this.#trust.allowUntrusted === true) return [certificate];
    throw new ValidationError('NO_TRUST_ANCHOR', 'trust.trustAnchorsPem is empty.');
  }

  /** Citizens' keys are P-256 or RSA (contract §4). */
  #leafKey({ spki }: CertificateDetails): VerificationKey {
    const key = this.#keyOf(spki);
    if (key === null || (key.family === 'EC' && key.curve !== 'P-256')) {
      throw new ValidationError(
        'KEY_UNSUPPORTED',
        'The key is neither P-256 nor RSA of 2048 bits or more.',
      );
    }
    return key;
  }

  #moment() {
    return { now: this.#now(), clockSkewMs: this.#trust.clockSkewMs ?? 0 };
  }
}

/** The certificate is handed on unparsed: most callers never look at it. */
function outcomeOf<Details extends object>(
  { documentNumber, certificate }: CompleteResponse,
  details: Details,
) {
  return {
    ...details,
    documentNumber,
    get certificate() {
      return certificate.x509;
    },
    subject: certificate.subject,
  };
}

/** The generation is the one that was asked for: what the response says it is cannot choose its own check. */
function expectProtocol(
  { signatureProtocol }: SessionResult,
  request: SentRequest | undefined,
  protocol: 'ACSP_V2' | 'RAW_DIGEST_SIGNATURE',
): void {
  if (request !== undefined && request.signatureProtocol !== protocol) {
    throw new ValidationError('INPUT_INVALID', 'The session was started for something else.');
  }
  if (signatureProtocol !== (request === undefined ? null : protocol)) {
    throw new ValidationError(
      'PROTOCOL_MISMATCH',
      'The response is of another generation or kind than the request.',
    );
  }
}

function expectPerson(
  { documentNumber, certificate }: CompleteResponse,
  expected: ExpectedPerson,
): void {
  const { personEtsi = certificate.subject.serialNumber } = expected;
  if (
    certificate.subject.serialNumber !== personEtsi ||
    documentNumber !== (expected.documentNumber ?? documentNumber)
  ) {
    throw new ValidationError('PERSON_MISMATCH', 'Another person or device has answered.');
  }
}

function agreedAlgorithm(
  result: SessionResult,
  key: VerificationKey,
  request: SentRequest | undefined,
): AgreedAlgorithm {
  present(result.signatureAlgorithm, 'signatureAlgorithm');
  return request === undefined ? agreeFlat(result, key) : agreeNested(result, key, request);
}

function nestedPayload(result: SessionResult, request: SentRequest): Buffer {
  const answer = readNestedAnswer(result, request);
  if (answer === null) {
    throw new ValidationError(
      'RESPONSE_INCOMPLETE',
      'A field of the signed payload is missing, malformed, or not what was asked for.',
    );
  }
  return buildNestedPayload(request, answer);
}

function isFor({ challengeOrDigest, hashAlgorithm }: SentRequest, digest: Buffer): boolean {
  return (
    digest.toString('base64') === challengeOrDigest && digest.length === digestLength(hashAlgorithm)
  );
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
