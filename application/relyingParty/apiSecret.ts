import { sha256Hex } from '../../domain/shared/digest.ts';
import type { Randomness } from '../ports/randomness.ts';

/** How every API secret begins (specification, RP registration). */
export const apiSecretPrefix = 'rp_sk_';

const SECRET_BYTES = 32;

/** A new API secret and what is kept of it. 256 random bits: a plain hash cannot be searched. */
export function newApiSecret(randomness: Randomness): {
  readonly apiSecret: string;
  readonly secretHash: string;
} {
  const apiSecret = apiSecretPrefix + randomness.bytes(SECRET_BYTES).toString('base64url');
  return { apiSecret, secretHash: sha256Hex(apiSecret) };
}
