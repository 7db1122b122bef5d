import type { KeyRotation } from '../openIdConnect/signingKeys.ts';
import type { Clock } from '../ports/clock.ts';
import type { OidcState } from '../openIdConnect/ports/oidcState.ts';
import type { Reactor } from './reactor.ts';
import { createSweep, type SweepDependencies } from './sweep.ts';

export interface TidyingOptions extends Omit<SweepDependencies, 'everyMs'> {
  readonly state: Pick<OidcState, 'removeExpired'>;
  readonly rotation: Pick<KeyRotation, 'rotateIfDue'>;
  readonly clock: Clock;
  /** Milliseconds between looks; default one minute. */
  readonly everyMs?: number;
}

type Chore = () => Promise<void>;

/** Removes expired state of the OpenID Connect provider, and rotates its signing key. */
export function createOidcTidying(options: TidyingOptions): Reactor {
  const { state, rotation, clock, everyMs = 60_000 } = options;
  const chores: readonly Chore[] = [
    () => state.removeExpired(clock.now()),
    () => rotation.rotateIfDue(),
  ];
  const pages = {
    page: (_limit: number, after: Chore | null) => Promise.resolve(after === null ? chores : []),
    each: (chore: Chore) => chore(),
  };
  return createSweep('tidyOpenIdConnect', pages, { ...options, everyMs });
}
