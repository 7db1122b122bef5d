import type { X509Certificate } from 'node:crypto';
import { checkArguments } from '../arguments.ts';
import { trustSettings } from '../callArguments.ts';
import { buildAcspV2Payload, decodeBase64 } from '../crypto.ts';
import { ConfigurationError, SessionFailedError, ValidationError } from '../errors.ts';
import type { SealResult } from '../seal.ts';
import type {
  Addressee,
  BatchDocument,
  CallOptions,
  CertificateLevel,
  SentRequest,
  SessionResult,
  TrustSettings,
} from '../types.ts';
import { type AgreedAlgorithm, agreeFlat, agreeNested, digestLength } from './algorithms.ts';
import { singleResults } from './batch.ts';
import {
  type CertificateDetails,
  type CertificateSubject,
  isWithinValidity,
  readCertificate,
  readPemBundle,
} from '../../infrastructure/pki/kernel/certificate.ts';
import {
  createPathBuilder,
  type PathBuilder,
} from '../../infrastructure/pki/kernel/certificationPath.ts';
import type { VerificationKey } from '../../infrastructure/pki/kernel/verificationKey.ts';
import { createKeyCache } from './keyCache.ts';
import { DEFAULT_POLICY_ARC, meetsLevel, provenLevel } from './level.ts';
import { nestedPayload } from './nestedAnswer.ts';
import {
  expectAddressee,
  expectOrganization,
  expectStatedPerson,
  naturalPersonOf,
  type ServiceStatement,
  type VerifiedPerson,
} from './person.ts';
import { type CertificatePurpose, isForPurpose } from './purpose.ts';
import {
  authArguments,
  batchArguments,
  revocationArguments,
  sealArguments,
  signArguments,
} from './validatorArguments.ts';
import { enforceRevocation } from './revocation.ts';
import { checkDigestSignature, checkPayloadSignature } from './signature.ts';

/** Verified part of an authentication and of a signature, and what the service adds to it. */
export interface ValidatedResponse {
  /**
   * The device that answered; not verified.
   *
   * @deprecated read `statedByService.documentNumber`
   */
  readonly documentNumber: string;
  /** Parsed by Node.js on first use. */
  readonly certificate: X509Certificate;
  /** Subject of the certificate. */
  readonly subject: CertificateSubject;
  /** Person named by the certificate. */
  readonly person: VerifiedPerson;
  /** Not verified: the service's word alone. */
  readonly statedByService: ServiceStatement;
}

/** A validated authentication. */
export interface ValidatedAuthentication extends ValidatedResponse {
  /** Level proven by the certificate, never above the level claimed by the response. */
  readonly certificateLevel: CertificateLevel;
}

/** A validated signature. */
export interface ValidatedSignature extends ValidatedResponse {
  /** Base64, for ECDSA of a DER sequence. */
  readonly signatureValueB64: string;
  /** Algorithm as received, checked against the request. */
  readonly signatureAlgorithm: string;
}

/** A validated seal. */
export interface ValidatedSeal {
  /** Level proven by the certificate, never above the level claimed by the response. */
  readonly certificateLevel: CertificateLevel;
  /** Parsed by Node.js on first use. */
  readonly certificate: X509Certificate;
  /** Organization named by the certificate. */
  readonly subject: CertificateSubject;
}

/** A started session: as returned by this library, or the stored part of it. */
export interface StartedSession {
  /** Base64; empty for a signature. */
  readonly rpChallenge: string;
  /** Request as it was sent; second generation only. */
  readonly request?: SentRequest;
  /** Person, phone and organization asked; absent: the answer is not compared with them. */
  readonly addressee?: Addressee;
}

/** Expected citizen and device, where the relying party knows them. */
export interface ExpectedPerson {
  /** Expected person, `PNOMN-<civil id>`. */
  readonly personEtsi?: string;
  /** Expected device; compared with the service's word. */
  readonly documentNumber?: string;
}

/** Expectations of a signature besides its digest. */
export interface SignExpectation extends ExpectedPerson {
  /** Session as returned: has who was asked, and what a second-generation response must fit. */
  readonly session?: StartedSession;
}

/** Fields required of every response. */
interface CompleteResponse {
  readonly stated: ServiceStatement;
  readonly certificate: CertificateDetails;
  readonly claimedLevel: string;
  readonly signature: Buffer;
}

/** @throws ConfigurationError when a certificate in the text cannot be read */
function pemBundle(setting: string, pem: string | readonly string[] | undefined) {
  try {
    return readPemBundle(pem);
  } catch (error) {
    throw new ConfigurationError(`trust.${setting} has a certificate that cannot be read.`, {
      cause: error,
    });
  }
}

/** Accepted digest lengths, bytes. */
const DIGEST_LENGTHS: readonly number[] = [32, 48, 64];

/** Least challenge length, bytes: a shorter one could be guessed or repeat. */
const MIN_CHALLENGE_BYTES = 32;

/**
 * Validates polled sessions: `endResult` OK alone proves nothing. In order: complete and OK; the
 * generation is the requested one; the certificate chains to a trust anchor, is valid now and of
 * the required kind and level; the algorithm is acceptable and the signature verifies.
 */
export class ResponseValidator {
  readonly #trust: TrustSettings;
  readonly #hasAnchors: boolean;
  readonly #paths: PathBuilder;
  readonly #keyOf = createKeyCache();
  readonly #now: () => Date;

  /**
   * @param now validation time; default: the system clock
   * @throws ConfigurationError when a setting is not what it must be, or a PEM text is malformed
   */
  constructor(trust: TrustSettings = {}, now: () => Date = () => new Date()) {
    checkArguments('new ResponseValidator', [['trust', trustSettings]], [trust]);
    const anchors = pemBundle('trustAnchorsPem', trust.trustAnchorsPem);
    this.#trust = trust;
    this.#hasAnchors = anchors.length > 0;
    this.#paths = createPathBuilder(anchors, pemBundle('intermediatesPem', trust.intermediatesPem));
    this.#now = now;
  }

  /**
   * Checks an authentication against the challenge that was sent.
   *
   * @param asked the session as returned; or the challenge alone, base64, of a first-generation session, which does not
   * know who was asked
   * @throws ConfigurationError when an argument is not what it must be
   * @throws SessionFailedError when the citizen did not confirm
   * @throws ValidationError when the response fails validation
   */
  validateAuth(
    result: SessionResult,
    asked: string | StartedSession,
    expected: ExpectedPerson = {},
  ): ValidatedAuthentication {
    checkArguments('validator.validateAuth', authArguments, [result, asked, expected]);
    const session: StartedSession = typeof asked === 'string' ? { rpChallenge: asked } : asked;
    const { request } = session;
    const response = readResponse(result);
    const rpChallenge = request?.challengeOrDigest ?? session.rpChallenge;
    const challenge = decodeBase64(rpChallenge);
    if (challenge === null || challenge.length < MIN_CHALLENGE_BYTES) {
      throw new ValidationError('INPUT_INVALID', 'rpChallenge is not base64 of 32 bytes or more.');
    }
    expectProtocol(result, request, 'ACSP_V2');
    const certificateLevel = this.#checkCertificate(response, 'digitalSignature');
    const person = checkPerson(response, expected, session);
    const key = this.#leafKey(response.certificate);
    const payload =
      request === undefined
        ? buildAcspV2Payload(rpChallenge, response.certificate.spki)
        : nestedPayload(result, request);
    const algorithm = agreedAlgorithm(result, key, { request, digest: null });
    checkPayloadSignature({ key, algorithm, signature: response.signature }, payload);
    return outcomeOf(response, { person, certificateLevel });
  }

  /**
   * Checks a signature against the digest to be signed: computed by the relying party itself, not
   * taken from a response. Pass the session: without it or an expected person anybody may have signed.
   *
   * @param digestB64 raw digest, base64
   * @param expectation the `session` as returned, which has who was asked and which a second-generation response
   * requires; and the expected person, where another than the session's is known
   * @throws ConfigurationError when an argument is not what it must be
   * @throws SessionFailedError when the citizen did not confirm
   * @throws ValidationError when the response fails validation
   */
  validateSign(
    result: SessionResult,
    digestB64: string,
    expectation: SignExpectation = {},
  ): ValidatedSignature {
    checkArguments('validator.validateSign', signArguments, [result, digestB64, expectation]);
    const { session, ...expected } = expectation;
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
    const person = checkPerson(response, expected, session);
    const key = this.#leafKey(response.certificate);
    const algorithm = agreedAlgorithm(result, key, { request, digest });
    checkDigestSignature({ key, algorithm, signature: response.signature }, digest);
    return outcomeOf(response, {
      person,
      signatureValueB64: response.signature.toString('base64'),
      signatureAlgorithm: present(result.signatureAlgorithm, 'signatureAlgorithm'),
    });
  }

  /**
   * Checks the signatures of a batch, each against the digest of its document.
   *
   * @param documents as they were sent, in the same order
   * @param expectation the `session` as returned, which has who was asked, and the expected person
   * @returns one a document, in their order
   * @throws ConfigurationError when an argument is not what it must be
   * @throws SessionFailedError when the citizen did not confirm
   * @throws ValidationError when one of them fails validation, or is not there
   */
  validateBatch(
    result: SessionResult,
    documents: readonly BatchDocument[],
    expectation: SignExpectation = {},
  ): readonly ValidatedSignature[] {
    checkArguments('validator.validateBatch', batchArguments, [result, documents, expectation]);
    return singleResults(result, documents).map((single, index) =>
      this.validateSign(single, documents[index]?.digest ?? '', expectation),
    );
  }

  /**
   * Checks a seal against the digest and the organization.
   *
   * @param digestB64 raw digest, base64
   * @param orgEtsi `NTRMN-<register>`, either case: the certificate must be this organization's
   * @throws ValidationError when the seal fails validation
   */
  validateSeal(seal: SealResult, digestB64: string, orgEtsi: string): ValidatedSeal {
    checkArguments('validator.validateSeal', sealArguments, [seal, digestB64, orgEtsi]);
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
    expectOrganization(certificate.subject, orgEtsi);
    const key = this.#leafKey(certificate);
    const algorithm = agreeFlat(seal, key, digest);
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
   * Asks the configured revocation checker; call it after validation. Does nothing without a
   * checker.
   *
   * @throws ValidationError REVOKED, or REVOCATION_UNKNOWN in hard-fail mode; CHAIN_UNTRUSTED when
   * the issuer is unknown
   */
  async checkRevocation(certificate: X509Certificate, options: CallOptions = {}): Promise<void> {
    checkArguments('validator.checkRevocation', revocationArguments, [certificate, options]);
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
    if (!this.#hasAnchors) {
      if (this.#trust.allowUntrusted === true) return [certificate];
      throw new ValidationError('NO_TRUST_ANCHOR', 'trust.trustAnchorsPem is empty.');
    }
    const path = this.#paths.build(certificate, this.#moment());
    if (path !== null) return path;
    throw new ValidationError(
      'CHAIN_UNTRUSTED',
      'The certificate has no certification path to a trust anchor.',
    );
  }

  /** Imports a citizen's key: P-256 or RSA (contract §4). */
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

/** Result of a validation. The certificate is passed on unparsed: few callers read it. */
function outcomeOf<Details extends object>(
  { stated, certificate }: CompleteResponse,
  details: Details,
) {
  return {
    ...details,
    documentNumber: stated.documentNumber,
    statedByService: stated,
    get certificate() {
      return certificate.x509;
    },
    subject: certificate.subject,
  };
}

/** Requires the generation of the request: a response must not choose its own check. */
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

/** Reads the person from the certificate; the service, the caller and the session must mean the same. */
function checkPerson(
  { stated, certificate }: CompleteResponse,
  expected: ExpectedPerson,
  { addressee }: Pick<StartedSession, 'addressee'> = {},
): VerifiedPerson {
  const person = naturalPersonOf(certificate.subject);
  if (
    person.etsi !== (expected.personEtsi ?? person.etsi) ||
    stated.documentNumber !== (expected.documentNumber ?? stated.documentNumber)
  ) {
    throw new ValidationError('PERSON_MISMATCH', 'Another person or device has answered.');
  }
  expectStatedPerson(person, stated.person);
  if (addressee !== undefined) expectAddressee(person, stated, addressee);
  return person;
}

function agreedAlgorithm(
  result: SessionResult,
  key: VerificationKey,
  { request, digest }: { request: SentRequest | undefined; digest: Buffer | null },
): AgreedAlgorithm {
  present(result.signatureAlgorithm, 'signatureAlgorithm');
  return request === undefined ? agreeFlat(result, key, digest) : agreeNested(result, key, request);
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
  const { person, onBehalfOf, riskSignals } = result;
  return {
    stated: {
      documentNumber: present(result.documentNumber, 'documentNumber'),
      person,
      onBehalfOf,
      riskSignals,
    },
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
