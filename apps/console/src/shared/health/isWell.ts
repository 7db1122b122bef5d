import type { AnswerOf } from '../api/useRead.ts';

export type System = AnswerOf<'/v3/admin/system'>;
type Projection = System['projections'][number];

/** Delay of a read model shown as a warning, s. */
const LATE_S = 2;

/** True for a read model that shows what is so. The state counts before the delay: one that was stopped has none. */
export function isCurrent({ state, lagSeconds }: Projection): boolean {
  return state !== 'FAILED' && state !== 'RETRYING' && lagSeconds < LATE_S;
}

/** True when nothing needs attention. */
export function isWell({ dependencies, projections, parked, deadLetters }: System): boolean {
  return (
    dependencies.every(({ state }) => state === 'up') &&
    projections.every(isCurrent) &&
    parked.length + deadLetters.length === 0
  );
}
