import type { VerificationMethod } from '../../domain/identityVerification/events.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdentityProviders } from './ports/identityProvider.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { VerificationHolder } from './holder.ts';
import type { IdentityVerifications } from './identityVerifications.ts';
import { type VerificationView, viewOf } from './verificationView.ts';

export interface StartVerificationDependencies {
  readonly verifications: IdentityVerifications;
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
  /** Returned once, to this caller only; only its hash is stored. */
  readonly secret: string;
}

const SECRET_BYTES = 32;

/**
 * Starts an identity verification.
 *
 * @param method its method; `attempts` overrides the number of attempts
 * @throws Refusal VERIFICATION_METHOD_NOT_AVAILABLE
 */
export async function startVerification(
  dependencies: StartVerificationDependencies,
  { method, attempts }: { readonly method: VerificationMethod; readonly attempts?: number },
  context: Omit<CommandContext, 'correlationId'>,
): Promise<StartedVerification> {
  const { verifications, providers, clock, randomness, verificationLimits } = dependencies;
  if (providers[method] === undefined) throw new Refusal('VERIFICATION_METHOD_NOT_AVAILABLE');
  const holder: VerificationHolder = {
    verificationId: randomness.uuid(),
    secret: randomness.bytes(SECRET_BYTES).toString('base64url'),
  };
  const now = clock.now();
  const { state } = await verifications.handleNew(
    holder.verificationId,
    {
      type: 'StartVerification',
      verificationId: holder.verificationId,
      method,
      secretHash: sha256Hex(holder.secret),
      attemptsAllowed: attempts ?? verificationLimits.attempts,
      now: now.toISOString(),
      expiresAt: new Date(now.getTime() + verificationLimits.lifetimeMs).toISOString(),
    },
    { ...context, correlationId: holder.verificationId },
  );
  if (state.status === 'NONE') throw new Error('Verification missing after StartVerification.');
  const view = viewOf(state, holder, { providers, now: now.toISOString() });
  return { view, secret: holder.secret };
}
