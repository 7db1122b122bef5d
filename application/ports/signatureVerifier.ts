import type { HashAlgorithm } from '../../domain/shared/digest.ts';

/** What a phone signed. `payload` is hashed by the algorithm; `digest` is signed as it is. */
export type SignedInput =
  | { readonly payload: Uint8Array; readonly hash: HashAlgorithm }
  | { readonly digest: Uint8Array; readonly hash: HashAlgorithm };

/** How an ECDSA signature is written: a DER SEQUENCE, or r ‖ s as in JOSE (RFC 7518 §3.4). */
export type EcdsaForm = 'der' | 'joined';

/** Verifies citizens' signatures, off the main thread where the work is long. */
export interface SignatureVerifier {
  /**
   * Whether `signature` is right: ECDSA P-256 or RSASSA-PKCS1-v1_5, by the key's type.
   * Anything malformed is `false`, never an exception.
   *
   * @param publicKey SubjectPublicKeyInfo, base64 DER
   * @param signature raw bytes
   * @param form of an ECDSA signature; default `der`
   */
  verify(
    publicKey: string,
    input: SignedInput,
    signature: Uint8Array,
    form?: EcdsaForm,
  ): Promise<boolean>;
}
