import type { Clock } from '../../application/ports/clock.ts';
import type { Dependency } from '../../application/ports/faults.ts';

/** Health of an external system, derived from the calls made to it, without extra probes. */
export interface PartnerHealth {
  readonly name: Dependency;
  /** Records a completed call. @param status the HTTP status, or `error` without a complete response */
  saw(status: string): void;
  isOutage(): boolean;
  /** For `/readyz`: rejects during an outage. */
  check(): Promise<void>;
}

/** @param forMs time a failure counts without further calls; default 5 minutes */
export function createPartnerHealth(
  name: Dependency,
  clock: Clock,
  forMs = 5 * 60_000,
): PartnerHealth {
  let failedAt: number | null = null;
  const isOutage = () => failedAt !== null && clock.now().getTime() - failedAt < forMs;
  return {
    name,
    saw(status) {
      failedAt = status === 'error' || Number(status) >= 500 ? clock.now().getTime() : null;
    },
    isOutage,
    check: () =>
      isOutage() ? Promise.reject(new Error('The last call failed.')) : Promise.resolve(),
  };
}
