import type { Certificates } from '../aggregates.ts';
import type { Clock } from '../ports/clock.ts';
import type { OpenRequests } from './ports/openRequests.ts';
import { asReactor, type Reactor } from './reactor.ts';
import { createSweep, type SweepDependencies } from './sweep.ts';

export interface GiveUpOptions extends Omit<SweepDependencies, 'everyMs'> {
  readonly certificates: Certificates;
  readonly requests: OpenRequests;
  readonly clock: Clock;
  /** Milliseconds between sweeps; default one hour. */
  readonly everyMs?: number;
}

const name = 'giveUpAbandonedRequests';

/** Time within which an interrupted enrolment can be completed by repeating it, ms. */
const ABANDONED_AFTER_MS = 24 * 3_600_000;

/**
 * Revokes requested certificates of citizens whose enrolment was interrupted and not repeated within a day: should a
 * certificate have been signed at the moment of the crash, it is unusable. Requests of the platform's own services are
 * resumed at the next start.
 */
export function createGivingUp(options: GiveUpOptions): Reactor {
  const { certificates, requests, clock, everyMs = 3_600_000 } = options;

  async function giveUp(serial: string): Promise<void> {
    const command = { type: 'AbandonRequest', now: clock.now().toISOString() } as const;
    await certificates.handle(serial, command, asReactor(name, serial));
  }

  const page = (limit: number, after: string | null) =>
    requests.requestedBefore(new Date(clock.now().getTime() - ABANDONED_AFTER_MS), limit, after);

  return createSweep(name, { page, each: giveUp }, { ...options, everyMs });
}
