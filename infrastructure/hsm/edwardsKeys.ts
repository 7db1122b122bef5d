import { createPublicKey } from 'node:crypto';
import type pkcs11js from 'pkcs11js';

// PKCS#11 3.0 §2.3.5 to §2.3.14; the binding has no names for it.

const CKM_EC_EDWARDS_KEY_PAIR_GEN = 0x1055;
const CKM_EDDSA = 0x1057;

/** Length of a signature. */
export const edwardsSignatureBytes = 64;

/** Length of a point (RFC 8032 §5.1.2). */
const POINT_BYTES = 32;

/** OBJECT IDENTIFIER id-Ed25519 (RFC 8410 §3), DER: CKA_EC_PARAMS. */
export const edwardsParameters = Buffer.from('06032b6570', 'hex');

/** CKA_EC_PARAMS of tokens that name the curve: PrintableString `edwards25519`. */
const namedCurve = Buffer.from('130c656477617264733235353139', 'hex');

/** SubjectPublicKeyInfo up to the point (RFC 8410 §4), DER. */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

export const edwardsKeyGeneration: pkcs11js.Mechanism = { mechanism: CKM_EC_EDWARDS_KEY_PAIR_GEN };

/** Pure Ed25519, without a parameter (RFC 8032 §5.1). */
export const edwardsSigning: pkcs11js.Mechanism = { mechanism: CKM_EDDSA };

export function isEdwards(parameters: Buffer): boolean {
  return parameters.equals(edwardsParameters) || parameters.equals(namedCurve);
}

/** SubjectPublicKeyInfo, DER, of CKA_EC_POINT, with the OCTET STRING around it or without. @throws Error for no key */
export function edwardsPublicKey(encoded: Buffer): Buffer {
  const publicKey = Buffer.concat([spkiPrefix, encoded.subarray(encoded.length - POINT_BYTES)]);
  createPublicKey({ key: publicKey, format: 'der', type: 'spki' });
  return publicKey;
}
