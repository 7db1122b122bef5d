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

/** Beginning of a P-256 key with an uncompressed point, as certificates have it (docs/certificates.md). */
const USUAL_P256 = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d03010703420004', 'hex');

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
    throw unusable('signing', 'The three keys must differ from one another.');
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
  const type = key.asymmetricKeyType === 'ec' ? curveOf(key) : rsaOf(key);
  if (type === null) throw unusable(name, 'The key must be P-256 or RSA of 2048 to 4096 bits.');
  // One encoding per key: the signed payload contains these bytes. OpenSSL writes compressed points and explicit curve
  // parameters back as it read them.
  const isUsual = type === 'RSA' || spki.subarray(0, USUAL_P256.length).equals(USUAL_P256);
  if (!isUsual || !key.export({ format: 'der', type: 'spki' }).equals(spki)) {
    throw unusable(name, 'The key is not in its canonical form.');
  }
  return type;
}

const curveOf = ({ asymmetricKeyDetails: details }: KeyObject) =>
  details?.namedCurve === 'prime256v1' ? 'P-256' : null;

function rsaOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject) {
  const { modulusLength: bits = 0, publicExponent: exponent = 0n } = details ?? {};
  const isStrong = bits >= LEAST_RSA_BITS && exponent >= LEAST_RSA_EXPONENT && exponent % 2n === 1n;
  return type === 'rsa' && isStrong && bits <= MOST_RSA_BITS ? 'RSA' : null;
}

function parse(spki: Buffer, name: EnrolmentKeyName): KeyObject {
  try {
    return createPublicKey({ key: spki, format: 'der', type: 'spki' });
  } catch {
    throw unusable(name, 'The key is not a SubjectPublicKeyInfo in DER.');
  }
}

function unusable(name: EnrolmentKeyName, detail: string): Refusal {
  return new Refusal('INVALID_REQUEST', {
    errors: [{ pointer: `/keys/${name}/publicKey`, detail }],
  });
}
