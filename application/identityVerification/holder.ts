import type { VerificationMethod } from '../../domain/identityVerification/events.ts';
import type { BegunVerification } from '../../domain/identityVerification/identityVerification.ts';
import { equalSecrets, hmacSha256, sha256Hex } from '../../domain/shared/digest.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { VerificationTurn } from './ports/identityProvider.ts';
import type { IdentityVerifications } from './identityVerifications.ts';

/** Client that started a verification, identified by its secret. */
export interface VerificationHolder {
  readonly verificationId: string;
  /** Issued at the start. */
  readonly secret: string;
}

/**
 * The verification, current as of the log, for its holder.
 *
 * @throws Refusal VERIFICATION_NOT_FOUND, also for a wrong secret
 */
export async function loadFor(
  verifications: Pick<IdentityVerifications, 'load'>,
  { verificationId, secret }: VerificationHolder,
): Promise<BegunVerification> {
  const { state } = await verifications.load(verificationId);
  // Without the right secret not even the existence is revealed.
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
 * Secret part of the only enrolment token of a verification. Derived from the holder's secret, so that it is not
 * stored, and is the same after a crash or a lost response.
 */
export function tokenSecretOf({ verificationId, secret }: VerificationHolder): Buffer {
  return hmacSha256(Buffer.from(secret), JSON.stringify(['enrolment token', verificationId]));
}

/** @throws Refusal INVALID_REQUEST for another method */
export function requireMethod(begun: BegunVerification, method: VerificationMethod): void {
  if (begun.started.method === method) return;
  throw new Refusal('INVALID_REQUEST', {
    detail: `This identity is being verified by ${begun.started.method}.`,
    errors: [{ pointer: '#/path/id', detail: 'Send the step of the method it was started with.' }],
  });
}
