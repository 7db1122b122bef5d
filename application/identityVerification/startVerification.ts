import type { VerificationMethod } from '../../domain/identityVerification/events.ts';
import { unrecorded } from '../../domain/identityVerification/identityVerification.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdentityProviders } from './ports/identityProvider.ts';
import type { VerificationSecrets } from './ports/verificationSecrets.ts';
import type { Randomness } from '../ports/randomness.ts';
import { type VerificationView, viewOf } from './verificationView.ts';

export interface StartVerificationDependencies {
  readonly verificationSecrets: VerificationSecrets;
  readonly providers: IdentityProviders;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly verificationLimits: {
    /** Lifetime of a verification, ms. */
    readonly lifetimeMs: number;
    readonly attempts: number;
  };
}

export interface StartedVerification {
  readonly view: VerificationView;
  /** Returned once, to this caller only; its hash is stored with the first attempt. */
  readonly secret: string;
}

/**
 * Starts an identity verification. Appends nothing: the secret carries its terms until the first attempt, so that
 * anonymous callers who only start leave no trace in the log.
 *
 * @param method its method; `attempts` overrides the number of attempts
 * @throws Refusal VERIFICATION_METHOD_NOT_AVAILABLE
 */
export function startVerification(
  dependencies: StartVerificationDependencies,
  { method, attempts }: { readonly method: VerificationMethod; readonly attempts?: number },
): StartedVerification {
  const { verificationSecrets, providers, clock, randomness, verificationLimits } = dependencies;
  if (providers[method] === undefined) throw new Refusal('VERIFICATION_METHOD_NOT_AVAILABLE');
  const start = clock.now();
  const now = start.toISOString();
  const verificationId = randomness.uuid();
  const terms = {
    verificationId,
    method,
    attemptsAllowed: attempts ?? verificationLimits.attempts,
    startedAt: now,
    expiresAt: new Date(start.getTime() + verificationLimits.lifetimeMs).toISOString(),
  };
  const secret = verificationSecrets.issue(terms);
  const begun = unrecorded({ ...terms, secretHash: sha256Hex(secret) });
  return { view: viewOf(begun, { verificationId, secret }, { providers, now }), secret };
}
