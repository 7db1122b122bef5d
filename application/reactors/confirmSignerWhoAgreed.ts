import type { Representations } from '../organization/organizations.ts';
import type { AgreedInvitation, AgreedInvitations } from './ports/agreedInvitations.ts';
import type { Clock } from '../ports/clock.ts';
import type { Reactor } from './reactor.ts';
import { createSweep, type SweepDependencies } from './sweep.ts';

export interface SignerConfirmationOptions extends Omit<SweepDependencies, 'everyMs'> {
  readonly representations: Representations;
  readonly invitations: AgreedInvitations;
  readonly clock: Clock;
  /** Milliseconds between sweeps; default 500. */
  readonly everyMs?: number;
}

const name = 'confirmSignerWhoAgreed';

/**
 * Activates pending rights once all agreed, each in a session of their own: an ADMIN of the organization, and an
 * invited signer. Sweeps the pending rights instead of following all sessions; an interrupted confirmation is found by
 * the next sweep.
 */
export function createSignerConfirmation(options: SignerConfirmationOptions): Reactor {
  const { representations, invitations, clock, everyMs = 500 } = options;

  async function confirm({ register, sessionId, ...agreed }: AgreedInvitation): Promise<void> {
    const common = { register, ...agreed, now: clock.now().toISOString() };
    await representations.handle(
      register,
      sessionId === null
        ? { type: 'ConfirmRight', ...common }
        : { type: 'ConfirmSigner', sessionId, ...common },
      {
        actor: { kind: 'citizen', id: sessionId === null ? agreed.confirmedBy : agreed.civilId },
        correlationId: sessionId ?? agreed.adminSessionId,
        causationId: name,
        requestId: null,
        ip: null,
      },
    );
  }

  const page = (limit: number, after: AgreedInvitation | null) =>
    invitations.agreedInvitations(limit, after);
  return createSweep(name, { page, each: confirm }, { ...options, everyMs });
}
