import type { HashType } from '../../domain/shared/digest.ts';

/** What a phone signed. `payload` is hashed by the algorithm; `digest` is signed as it is. */
export type SignedInput =
  | { readonly payload: Uint8Array; readonly hash: HashType }
  | { readonly digest: Uint8Array; readonly hash: HashType };

/** Verifies citizens' signatures, off the main thread where the work is long. */
export interface SignatureVerifier {
  /**
   * Whether `signature` is right: ECDSA P-256 (DER sequence) or RSASSA-PKCS1-v1_5, by the key's type.
   * Anything malformed is `false`, never an exception.
   *
   * @param publicKey SubjectPublicKeyInfo, base64 DER
   * @param signature raw bytes
   */
  verify(publicKey: string, input: SignedInput, signature: Uint8Array): Promise<boolean>;
}
