import type { Percentiles } from '../../application/ports/statistics.ts';

/**
 * Times are counted in buckets, four per doubling from 10 ms on: a percentile derived from the counts is accurate to a
 * tenth, and no time is stored.
 */
const firstStepMs = 10;
const stepsPerDoubling = 4;

/** Bucket of a time. */
export function stepOf(milliseconds: number): number {
  const doublings = Math.log2(Math.max(firstStepMs, milliseconds) / firstStepMs);
  return Math.ceil(doublings * stepsPerDoubling);
}

/** @param counts by bucket */
export function percentilesOf(counts: ReadonlyMap<number, number>): Percentiles {
  const steps = [...counts].sort(([a], [b]) => a - b);
  const count = steps.reduce((sum, [, each]) => sum + each, 0);
  const percentile = (share: number): number | null => {
    let seen = 0;
    for (const [step, each] of steps) {
      seen += each;
      if (seen >= count * share && each > 0) return middleOf(step);
    }
    return null;
  };
  return {
    count,
    p50: percentile(0.5),
    p90: percentile(0.9),
    p95: percentile(0.95),
    p99: percentile(0.99),
  };
}

function middleOf(step: number): number {
  return Math.round(firstStepMs * 2 ** ((step - 0.5) / stepsPerDoubling));
}
