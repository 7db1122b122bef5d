import {
  constants,
  type KeyObject,
  type VerifyKeyObjectInput,
  verify as nativeVerify,
} from 'node:crypto';
import { promisify } from 'node:util';
import { LRUCache } from 'lru-cache';
import { atMost } from '../system.ts';
import type {
  RsaPadding,
  SignatureVerifier,
  SignedInput,
} from '../../application/ports/signatureVerifier.ts';
import { digestLength, type HashAlgorithm, sha256Hex } from '../../domain/shared/digest.ts';
import type { EcdsaDigestPool } from './ecdsaDigestPool.ts';
import { readEcdsaSignature, writeEcdsaSignature } from './kernel/der.ts';
import { type RsaKey, verifyPkcs1Digest, verifyPssDigest } from './kernel/rsaDigest.ts';
import { importKey } from './kernel/verificationKey.ts';

const verifyInThreadPool = promisify(nativeVerify);

/**
 * Native verifications done synchronously in one turn of the event loop; beyond it requests are queueing, and
 * verifications go to the thread pool: dispatching one costs the loop a tenth of verifying.
 */
const SYNCHRONOUS_PER_TURN = 2;

/** Key of a citizen: P-256 or RSA. */
type CitizensKey =
  | {
      readonly family: 'EC';
      readonly key: KeyObject;
      /** Uncompressed. */
      readonly point: Uint8Array;
    }
  | ({ readonly family: 'RSA' } & RsaKey);

/** Longest modulus of a citizen's key, bits; authorities have longer ones. */
const LONGEST_MODULUS = 4096;

export interface SignatureVerifierOptions {
  readonly ecdsaDigests: EcdsaDigestPool;
  /** Imported public keys cached at most; default 20,000. */
  readonly keys?: number;
}

/**
 * Verifies ECDSA P-256, RSASSA-PKCS1-v1_5 and RSASSA-PSS (RSA-2048 to 4096). Messages are verified by OpenSSL; ECDSA
 * over a digest by worker threads, with a short-lived cache of outcomes.
 */
export function createSignatureVerifier(options: SignatureVerifierOptions): SignatureVerifier {
  const { ecdsaDigests, keys: keyCount = 20_000 } = options;
  const keys = new LRUCache<string, CitizensKey>(atMost(keyCount));
  const outcomes = new LRUCache<string, Promise<boolean>>({ ...atMost(10_000), ttl: 60_000 });
  let thisTurn = 0;

  function keyOf(publicKey: string): CitizensKey | null {
    const known = keys.get(publicKey);
    if (known !== undefined) return known;
    const imported = citizensKey(publicKey);
    if (imported !== null) keys.set(publicKey, imported);
    return imported;
  }

  async function verifyNatively(
    key: KeyObject | VerifyKeyObjectInput,
    { hash, payload }: Extract<SignedInput, { payload: Uint8Array }>,
    signature: Uint8Array,
  ): Promise<boolean> {
    if (thisTurn === 0) setImmediate(() => (thisTurn = 0));
    thisTurn += 1;
    try {
      return thisTurn <= SYNCHRONOUS_PER_TURN
        ? nativeVerify(hash, payload, key, signature)
        : await verifyInThreadPool(hash, payload, key, signature);
    } catch {
      return false;
    }
  }

  async function verifyEcdsaDigest(
    publicKey: string,
    point: Uint8Array,
    digest: Uint8Array,
    signature: Buffer,
  ): Promise<boolean> {
    const parts = [publicKey, Buffer.from(digest).toString('hex'), signature.toString('hex')];
    const question = sha256Hex(parts.join(':'));
    const known = outcomes.get(question);
    if (known !== undefined) return known;
    const outcome = ecdsaDigests.verify('P-256', digest, point, signature);
    outcomes.set(question, outcome);
    // Outages are not cached.
    outcome.catch(() => outcomes.delete(question));
    return outcome;
  }

  async function verifyEcdsa(
    publicKey: string,
    { key, point }: Extract<CitizensKey, { family: 'EC' }>,
    input: SignedInput,
    signature: Uint8Array,
  ): Promise<boolean> {
    const raw = readEcdsaSignature(signature, 32);
    if (raw === null) return false;
    return 'digest' in input
      ? verifyEcdsaDigest(publicKey, point, input.digest, raw)
      : verifyNatively(key, input, signature);
  }

  async function verifyRsa(
    key: RsaKey,
    input: SignedInput,
    signature: Uint8Array,
    padding: RsaPadding,
  ): Promise<boolean> {
    if ('payload' in input) {
      if (signature.length !== Math.ceil(key.modulusBits / 8)) return false;
      return verifyNatively(padded(key.key, input.hash, padding), input, signature);
    }
    const verifyDigest = padding === 'pss' ? verifyPssDigest : verifyPkcs1Digest;
    const hash = input.hash.toLowerCase() as Lowercase<HashAlgorithm>;
    return verifyDigest(key, { digest: input.digest, hash, signature });
  }

  return {
    async verify(publicKey, input, given, { ecdsa = 'der', rsa = 'pkcs1' } = {}) {
      const signature = ecdsa === 'der' ? given : derOf(given);
      const key = keyOf(publicKey);
      if (signature === null || key === null) return false;
      if ('digest' in input && input.digest.length !== digestLength[input.hash]) return false;
      return key.family === 'EC'
        ? verifyEcdsa(publicKey, key, input, signature)
        : verifyRsa(key, input, signature, rsa);
    },
  };
}

/** States the salt length, so that a signature with another one is refused. */
function padded(key: KeyObject, hash: HashAlgorithm, padding: RsaPadding): VerifyKeyObjectInput {
  return padding === 'pss'
    ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: digestLength[hash] }
    : { key, padding: constants.RSA_PKCS1_PADDING };
}

/** Null unless it is r ‖ s of a P-256 signature. */
function derOf(joined: Uint8Array): Buffer | null {
  return joined.length === 64 ? writeEcdsaSignature(joined) : null;
}

/**
 * Accepted keys of citizens: P-256 as a named curve, RSA with a modulus of 2048 to 4096 bits and an exponent ≥ 65537, in
 * one encoding each: compressed points, explicit curve parameters and trailing bytes are refused.
 */
function citizensKey(publicKey: string): CitizensKey | null {
  const spki = Buffer.from(publicKey, 'base64');
  const imported = importKey(spki);
  if (imported?.family === 'RSA') {
    const { key, modulusBits } = imported;
    const isUsual = key.export({ format: 'der', type: 'spki' }).equals(spki);
    return isUsual && modulusBits <= LONGEST_MODULUS ? imported : null;
  }
  if (imported === null || imported.point === null) return null;
  return { family: 'EC', key: imported.key, point: imported.point };
}
