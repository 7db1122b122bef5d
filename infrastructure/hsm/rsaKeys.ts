import { createPublicKey } from 'node:crypto';
import pkcs11js from 'pkcs11js';
import type { RsaPadding } from '../../application/ports/keyVault.ts';
import { digestLength, type HashType } from '../../domain/shared/digest.ts';
import { digestInfo } from '../pki/kernel/rsaDigest.ts';

// Strength of RSA-3072 is that of P-256 (NIST SP 800-57 part 1, table 2).

/** Parameters of an RSA signature over a digest. */
export interface RsaSigning {
  /** The hash the digest was made with. */
  readonly hash: HashType;
  readonly padding: RsaPadding;
}

const MODULUS_BITS = 3072;

/** Length of a signature. */
export const rsaSignatureBytes = MODULUS_BITS / 8;

/** Attributes of the public half of a new key; the exponent is 65537. */
export const rsaParameters: pkcs11js.Template = [
  { type: pkcs11js.CKA_MODULUS_BITS, value: MODULUS_BITS },
  { type: pkcs11js.CKA_PUBLIC_EXPONENT, value: Buffer.from('010001', 'hex') },
];

/** Mechanisms' names of a hash, and of the mask generation with it. */
const pssHashes = {
  SHA256: [pkcs11js.CKM_SHA256, pkcs11js.CKG_MGF1_SHA256],
  SHA384: [pkcs11js.CKM_SHA384, pkcs11js.CKG_MGF1_SHA384],
  SHA512: [pkcs11js.CKM_SHA512, pkcs11js.CKG_MGF1_SHA512],
} as const satisfies Record<HashType, readonly [number, number]>;

/** The mechanism that signs a digest, and the bytes it is given. */
export function rsaMechanism(
  { hash, padding }: RsaSigning,
  digest: Buffer,
): { readonly mechanism: pkcs11js.Mechanism; readonly data: Buffer } {
  if (padding === 'PKCS1') {
    const mechanism = { mechanism: pkcs11js.CKM_RSA_PKCS };
    return { mechanism, data: digestInfo(hash.toLowerCase() as Lowercase<HashType>, digest) };
  }
  const [hashAlg, mgf] = pssHashes[hash];
  const parameter: pkcs11js.RsaPSS = {
    type: pkcs11js.CK_PARAMS_RSA_PSS,
    hashAlg,
    mgf,
    saltLen: digestLength[hash],
  };
  return { mechanism: { mechanism: pkcs11js.CKM_RSA_PKCS_PSS, parameter }, data: digest };
}

/** SubjectPublicKeyInfo, DER. @throws Error for a modulus of another length */
export function rsaPublicKey(modulus: Buffer, exponent: Buffer, label: string): Buffer {
  const key = createPublicKey({
    key: { kty: 'RSA', n: modulus.toString('base64url'), e: exponent.toString('base64url') },
    format: 'jwk',
  });
  const { modulusLength } = key.asymmetricKeyDetails ?? {};
  if (modulusLength !== MODULUS_BITS) {
    throw new Error(`The RSA key ${label} has ${modulusLength} bits, not ${MODULUS_BITS}.`);
  }
  return key.export({ format: 'der', type: 'spki' });
}
