import type { Clock } from '../../application/ports/clock.ts';
import type { Dependency } from '../../application/ports/faults.ts';

/** How a party outside is, as far as the calls made to it tell: nobody asks it only to know. */
export interface PartnerHealth {
  readonly name: Dependency;
  /** A call ended. @param status the HTTP status, or `error` when there was no whole answer */
  saw(status: string): void;
  isAway(): boolean;
  /** For `/readyz`: rejects while it is away. */
  check(): Promise<void>;
}

/** @param forMs how long a failure counts when nobody calls after it; default 5 minutes */
export function createPartnerHealth(
  name: Dependency,
  clock: Clock,
  forMs = 5 * 60_000,
): PartnerHealth {
  let failedAt: number | null = null;
  const isAway = () => failedAt !== null && clock.now().getTime() - failedAt < forMs;
  return {
    name,
    saw(status) {
      failedAt = status === 'error' || Number(status) >= 500 ? clock.now().getTime() : null;
    },
    isAway,
    check: () =>
      isAway() ? Promise.reject(new Error('The last call failed.')) : Promise.resolve(),
  };
}
