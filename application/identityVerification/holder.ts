import type { VerificationMethod } from '../../domain/identityVerification/events.ts';
import type { BegunVerification } from '../../domain/identityVerification/identityVerification.ts';
import { equalSecrets, hmacSha256, sha256Hex } from '../../domain/shared/digest.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { VerificationTurn } from '../ports/identityProvider.ts';
import type { IdentityVerifications } from './identityVerifications.ts';

/** Who started a verification: names it and knows its secret. */
export interface VerificationHolder {
  readonly verificationId: string;
  /** As it was given at the start. */
  readonly secret: string;
}

/**
 * The verification as the log has it, for whoever started it.
 *
 * @throws Refusal VERIFICATION_NOT_FOUND, also when the secret is wrong
 */
export async function loadFor(
  verifications: Pick<IdentityVerifications, 'load'>,
  { verificationId, secret }: VerificationHolder,
): Promise<BegunVerification> {
  const { state } = await verifications.load(verificationId);
  // Somebody without the right secret learns nothing, not even that it exists.
  if (state.status === 'NONE' || !equalSecrets(sha256Hex(secret), state.started.secretHash)) {
    throw new Refusal('VERIFICATION_NOT_FOUND');
  }
  return state;
}

/** The turn before attempt number `attempts + 1`. */
export function turnOf(
  { verificationId, secret }: VerificationHolder,
  attempts: number,
): VerificationTurn {
  return {
    verificationId,
    derive: (label) =>
      hmacSha256(Buffer.from(secret), JSON.stringify([label, verificationId, attempts])),
  };
}

/**
 * The secret part of the one enrolment token a verification can give. It follows from the secret, so that it need not be
 * kept, and is the same again after a crash or a lost answer.
 */
export function tokenSecretOf({ verificationId, secret }: VerificationHolder): Buffer {
  return hmacSha256(Buffer.from(secret), JSON.stringify(['enrolment token', verificationId]));
}

/** @throws Refusal INVALID_REQUEST when the verification goes by another method */
export function requireMethod(begun: BegunVerification, method: VerificationMethod): void {
  if (begun.started.method === method) return;
  throw new Refusal('INVALID_REQUEST', {
    detail: `This identity is being verified by ${begun.started.method}.`,
    errors: [{ pointer: '#/path/id', detail: 'Send the step of the method it was started with.' }],
  });
}
