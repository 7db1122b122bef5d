import type { IdentityVerifications } from '../identityVerification/identityVerifications.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  OverdueVerification,
  OverdueVerifications,
} from './ports/identityVerificationViews.ts';
import { asReactor, type Reactor } from './reactor.ts';
import { createSweep, type SweepDependencies } from './sweep.ts';

export interface VerificationExpiryOptions extends Omit<SweepDependencies, 'everyMs'> {
  readonly verifications: IdentityVerifications;
  readonly overdue: OverdueVerifications;
  readonly clock: Clock;
  /** Milliseconds between sweeps; default 1000. */
  readonly everyMs?: number;
}

const name = 'expireIdentityVerificationWhenTimeIsUp';

/** Ends identity verifications whose time is up, as sessions are ended (ADR 3): late or twice does no harm. */
export function createVerificationExpiry(options: VerificationExpiryOptions): Reactor {
  const { verifications, overdue, clock, everyMs = 1000 } = options;

  async function expire({ verificationId }: OverdueVerification): Promise<void> {
    const command = { type: 'ExpireVerification', now: clock.now().toISOString() } as const;
    await verifications.handle(verificationId, command, asReactor(name, verificationId));
  }

  const page = (limit: number, after: OverdueVerification | null) =>
    overdue.overdueVerifications(clock.now(), limit, after);

  return createSweep(name, { page, each: expire }, { ...options, everyMs });
}
