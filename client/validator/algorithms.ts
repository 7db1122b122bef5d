import { ValidationError } from '../errors.ts';
import type {
  HashAlgorithm,
  SentRequest,
  SessionResult,
  SignatureAlgorithmParameters,
} from '../types.ts';
import type { DigestHash } from '../../infrastructure/pki/kernel/rsaDigest.ts';
import type { VerificationKey } from '../../infrastructure/pki/kernel/verificationKey.ts';

interface Hash {
  /** Name of the hash in Node.js. */
  readonly name: DigestHash;
  /** Length in bytes. */
  readonly length: number;
}

/** Signature algorithm of a response, checked to be acceptable. */
export interface AgreedAlgorithm extends Hash {
  readonly scheme: 'ecdsa' | 'pkcs1' | 'pss';
}

const hashes: Readonly<Record<HashAlgorithm, Hash>> = {
  'SHA-256': { name: 'sha256', length: 32 },
  'SHA-384': { name: 'sha384', length: 48 },
  'SHA-512': { name: 'sha512', length: 64 },
  'SHA3-256': { name: 'sha3-256', length: 32 },
  'SHA3-384': { name: 'sha3-384', length: 48 },
  'SHA3-512': { name: 'sha3-512', length: 64 },
};

const named: ReadonlyMap<string, AgreedAlgorithm> = new Map([
  ['ecdsa-with-SHA256', { scheme: 'ecdsa', ...hashes['SHA-256'] }],
  ['ecdsa-with-SHA384', { scheme: 'ecdsa', ...hashes['SHA-384'] }],
  ['ecdsa-with-SHA512', { scheme: 'ecdsa', ...hashes['SHA-512'] }],
  ['sha256WithRSAEncryption', { scheme: 'pkcs1', ...hashes['SHA-256'] }],
  ['sha384WithRSAEncryption', { scheme: 'pkcs1', ...hashes['SHA-384'] }],
  ['sha512WithRSAEncryption', { scheme: 'pkcs1', ...hashes['SHA-512'] }],
]);

/** Length of a digest made with `hash`, bytes. */
export function digestLength(hash: HashAlgorithm): number {
  return hashes[hash].length;
}

/**
 * Determines the algorithm of a first-generation response: by the kind of key, with SHA-256 or
 * better.
 *
 * @param digest the digest signed, whose hash the algorithm names; null: the response hashes a payload itself
 * @throws ValidationError ALGORITHM_UNSUPPORTED when it is unknown or does not suit key or digest
 */
export function agreeFlat(
  result: Pick<SessionResult, 'signatureAlgorithm'>,
  key: VerificationKey,
  digest: Buffer | null,
): AgreedAlgorithm {
  const algorithm = named.get(result.signatureAlgorithm ?? '');
  const scheme = key.family === 'EC' ? 'ecdsa' : 'pkcs1';
  if (algorithm?.scheme !== scheme) throw unsupported('is unknown or does not suit the key');
  if (algorithm.length !== (digest ?? algorithm).length) {
    throw unsupported('does not suit the digest');
  }
  return algorithm;
}

/**
 * Determines the algorithm of a second-generation response: the requested one with its parameters,
 * or ECDSA where the key is P-256, whatever was requested (contract §1).
 *
 * @throws ValidationError ALGORITHM_UNSUPPORTED when it is unknown or does not suit the key;
 * ALGORITHM_DOWNGRADED when it is not the one requested
 */
export function agreeNested(
  result: SessionResult,
  key: VerificationKey,
  request: Pick<SentRequest, 'signatureAlgorithm' | 'hashAlgorithm'>,
): AgreedAlgorithm {
  // Names SHA-256 for any hash (contract §1).
  if (key.family === 'EC') return agreeFlat(result, key, null);
  const { signatureAlgorithm, signatureAlgorithmParameters: parameters } = result;
  if (signatureAlgorithm !== request.signatureAlgorithm) {
    throw named.has(signatureAlgorithm ?? '') || signatureAlgorithm === 'rsassa-pss'
      ? downgraded('The signature algorithm is not the one requested.')
      : unsupported('is unknown');
  }
  if (signatureAlgorithm !== 'rsassa-pss') return agreeFlat(result, key, null);
  const hash = hashes[request.hashAlgorithm];
  if (!arePssParameters(parameters, request.hashAlgorithm)) {
    throw downgraded('The parameters of RSA-PSS are not those of the hash requested.');
  }
  return { scheme: 'pss', ...hash };
}

/** PSS parameters in use (RFC 8017 §A.2.3): MGF1 over the same hash, a salt of its length. */
function arePssParameters(
  parameters: SignatureAlgorithmParameters | null,
  hash: HashAlgorithm,
): boolean {
  return (
    parameters?.hashAlgorithm === hash &&
    parameters.maskGenAlgorithm?.algorithm === 'id-mgf1' &&
    parameters.maskGenAlgorithm.hashAlgorithm === hash &&
    parameters.saltLength === hashes[hash].length &&
    parameters.trailerField === '0xbc'
  );
}

function unsupported(problem: string): ValidationError {
  return new ValidationError('ALGORITHM_UNSUPPORTED', `The signature algorithm ${problem}.`);
}

function downgraded(message: string): ValidationError {
  return new ValidationError('ALGORITHM_DOWNGRADED', message);
}
