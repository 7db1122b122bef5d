import type { HashAlgorithm } from '../../domain/shared/digest.ts';

/** Signed input of a phone. `payload` is hashed by the algorithm; `digest` is signed directly. */
export type SignedInput =
  | { readonly payload: Uint8Array; readonly hash: HashAlgorithm }
  | { readonly digest: Uint8Array; readonly hash: HashAlgorithm };

/**
 * Padding of an RSA signature (RFC 8017): RSASSA-PKCS1-v1_5, or RSASSA-PSS with MGF1 and a salt of the hash's length.
 */
export type RsaPadding = 'pkcs1' | 'pss';

/** Encoding of an ECDSA signature: a DER SEQUENCE, or r ‖ s as in JOSE (RFC 7518 §3.4). */
export type EcdsaForm = 'der' | 'joined';

/** Verifies citizens' signatures, outside the main thread where it takes long. */
export interface SignatureVerifier {
  /**
   * Verifies `signature`: ECDSA P-256 or RSA, by the key's type. False for malformed input, never an exception.
   *
   * @param publicKey SubjectPublicKeyInfo, base64 DER
   * @param signature raw bytes
   * @param form of an ECDSA signature, default `der`; padding of an RSA signature, default `pkcs1`
   */
  verify(
    publicKey: string,
    input: SignedInput,
    signature: Uint8Array,
    form?: { readonly ecdsa?: EcdsaForm; readonly rsa?: RsaPadding },
  ): Promise<boolean>;
}
