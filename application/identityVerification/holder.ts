import type { VerificationMethod } from '../../domain/identityVerification/events.ts';
import {
  type BegunVerification,
  unrecorded,
} from '../../domain/identityVerification/identityVerification.ts';
import { equalSecrets, hmacSha256, sha256Hex } from '../../domain/shared/digest.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { VerificationTurn } from './ports/identityProvider.ts';
import type { IdentityVerifications } from './identityVerifications.ts';
import type { VerificationSecrets } from './ports/verificationSecrets.ts';

/** Client that started a verification, identified by its secret. */
export interface VerificationHolder {
  readonly verificationId: string;
  /** Issued at the start. */
  readonly secret: string;
}

export interface LoadDependencies {
  readonly verifications: Pick<IdentityVerifications, 'load'>;
  readonly verificationSecrets: VerificationSecrets;
}

/**
 * The verification for its holder: current as of the log, or as its secret says while nothing is recorded of it.
 *
 * @throws Refusal VERIFICATION_NOT_FOUND, also for a wrong secret
 */
export async function loadFor(
  { verifications, verificationSecrets }: LoadDependencies,
  { verificationId, secret }: VerificationHolder,
): Promise<BegunVerification> {
  const { state } = await verifications.load(verificationId);
  const secretHash = sha256Hex(secret);
  if (state.status === 'NONE') {
    const terms = verificationSecrets.read(verificationId, secret);
    if (terms !== null) return unrecorded({ ...terms, secretHash });
  } else if (equalSecrets(secretHash, state.started.secretHash)) return state;
  // Without the right secret not even the existence is revealed.
  throw new Refusal('VERIFICATION_NOT_FOUND');
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
