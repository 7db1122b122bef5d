import type { Decider } from '../shared/decider.ts';
import { Refusal } from '../shared/refusal.ts';
import type { SecondFactorUsed } from './events.ts';

/** Counter of the last code used; -1 before the first. */
export interface UsedCodes {
  readonly lastCounter: number;
}

export interface UseSecondFactor {
  readonly type: 'UseSecondFactor';
  readonly operatorId: string;
  readonly counter: number;
  /** Counter of the enrolment, which is used up as well. */
  readonly enrolledWith: number;
  readonly sessionId: string;
  readonly now: string;
}

/**
 * Used codes of one operator: each is accepted once, and none older than the last. Stream `secondFactor-<operator>`.
 */
export const secondFactorDecider: Decider<UsedCodes, UseSecondFactor, SecondFactorUsed> = {
  initial: { lastCounter: -1 },
  evolve: (_, { data: { counter } }) => ({ lastCounter: counter }),
  decide: ({ operatorId, counter, enrolledWith, sessionId, now }, { lastCounter }) => {
    if (counter <= Math.max(lastCounter, enrolledWith)) throw new Refusal('SECOND_FACTOR_WRONG');
    return [{ type: 'SecondFactorUsed', data: { operatorId, counter, sessionId, usedAt: now } }];
  },
};
