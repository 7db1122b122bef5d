import { createPublicKey, type KeyObject } from 'node:crypto';
import type { KeyType } from '../../domain/certificate/events.ts';
import { lengthPrefixed } from '../../domain/shared/digest.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { SignatureVerifier } from '../ports/signatureVerifier.ts';

/** The phone's three keys: PIN1, PIN2, and the one that signs every request. */
export const enrolmentKeyNames = ['authentication', 'signing', 'transport'] as const;

export type EnrolmentKeyName = (typeof enrolmentKeyNames)[number];

/** A public key with its proof of possession. */
export interface EnrolmentKey {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
  /** Signature over {@link keyProofPayload}, hashed with SHA-256; raw bytes. */
  readonly proof: Buffer;
}

export type EnrolmentKeys = Readonly<Record<EnrolmentKeyName, EnrolmentKey>>;

const LEAST_RSA_BITS = 2048;
const MOST_RSA_BITS = 4096;
const LEAST_RSA_EXPONENT = 65537n;

/**
 * Payload of the proof of possession: bound to this enrolment and this use, so that proofs cannot be reused.
 * `LP("TAMGA_ENROL_V1") ‖ LP(SHA-256(token)) ‖ LP(key name) ‖ LP(SPKI)`.
 *
 * @param tokenHash SHA-256 of the enrolment token, hexadecimal
 */
export function keyProofPayload(
  tokenHash: string,
  name: EnrolmentKeyName,
  publicKey: Uint8Array,
): Buffer {
  return Buffer.concat([
    lengthPrefixed(Buffer.from('TAMGA_ENROL_V1')),
    lengthPrefixed(Buffer.from(tokenHash, 'hex')),
    lengthPrefixed(Buffer.from(name)),
    lengthPrefixed(publicKey),
  ]);
}

/**
 * Checks the keys: P-256 or RSA of 2048 to 4096 bits (transport: P-256), all distinct, each with a valid proof.
 *
 * @returns the types of the two certified keys
 * @throws Refusal INVALID_REQUEST naming the key, KEY_PROOF_INVALID
 */
export async function checkEnrolmentKeys(
  keys: EnrolmentKeys,
  tokenHash: string,
  verifier: SignatureVerifier,
): Promise<{ readonly authentication: KeyType; readonly signing: KeyType }> {
  const types = {
    authentication: keyTypeOf(keys.authentication.publicKey, 'authentication'),
    signing: keyTypeOf(keys.signing.publicKey, 'signing'),
  };
  if (keyTypeOf(keys.transport.publicKey, 'transport') !== 'P-256') {
    throw unusable('transport', 'The transport key must be P-256.');
  }
  const spkis = enrolmentKeyNames.map((name) => keys[name].publicKey.toString('base64'));
  if (new Set(spkis).size < spkis.length) {
    throw unusable('signing', 'Each of the three keys must be a key of its own.');
  }
  for (const name of enrolmentKeyNames) {
    const { publicKey, proof } = keys[name];
    const payload = keyProofPayload(tokenHash, name, publicKey);
    const spki = publicKey.toString('base64');
    if (!(await verifier.verify(spki, { payload, hash: 'SHA256' }, proof))) {
      throw new Refusal('KEY_PROOF_INVALID', {
        errors: [{ pointer: `/keys/${name}/proof`, detail: 'The signature does not verify.' }],
      });
    }
  }
  return types;
}

function keyTypeOf(spki: Buffer, name: EnrolmentKeyName): KeyType {
  const key = parse(spki, name);
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return 'P-256';
  const bits = details?.modulusLength ?? 0;
  if (
    type === 'rsa' &&
    bits >= LEAST_RSA_BITS &&
    bits <= MOST_RSA_BITS &&
    (details?.publicExponent ?? 0n) >= LEAST_RSA_EXPONENT
  ) {
    return 'RSA';
  }
  throw unusable(name, 'The key must be P-256 or RSA of 2048 to 4096 bits.');
}

function parse(spki: Buffer, name: EnrolmentKeyName): KeyObject {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  } catch {
    throw unusable(name, 'The key is not a SubjectPublicKeyInfo in DER.');
  }
  // One encoding per key: the signed payload contains these bytes.
  if (!key.export({ format: 'der', type: 'spki' }).equals(spki)) {
    throw unusable(name, 'The key is not in its canonical form.');
  }
  return key;
}

function unusable(name: EnrolmentKeyName, detail: string): Refusal {
  return new Refusal('INVALID_REQUEST', {
    errors: [{ pointer: `/keys/${name}/publicKey`, detail }],
  });
}
