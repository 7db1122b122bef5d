import { p256, p384 } from '@noble/curves/nist.js';
import type { EcdsaDigestTask } from './ecdsaDigestPool.ts';

const curves = { 'P-256': p256, 'P-384': p384 } as const;

/**
 * ECDSA over a digest. Low-S is neither forced nor required: FIPS 186-5 has no such rule, and tokens and phones produce
 * either form.
 *
 * @returns when signing `r ‖ s`, when verifying true for a valid signature
 */
export default function ecdsaDigest(task: EcdsaDigestTask): Uint8Array | boolean {
  const curve = curves[task.curve];
  if (task.operation === 'sign') {
    return curve.sign(task.digest, task.privateKey, {
      prehash: false,
      lowS: false,
      extraEntropy: true,
      format: 'compact',
    });
  }
  try {
    return curve.verify(task.signature, task.digest, task.publicKey, {
      prehash: false,
      lowS: false,
      format: 'compact',
    });
  } catch {
    return false;
  }
}
