/** Median; of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) throw new Error('No value to take the median of.');
  if (sorted.length % 2 === 1) return upper;
  return ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** Percentile by nearest rank: the value below which `share` (0..1) of the samples lie. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = Float64Array.from(samples).sort();
  const at = sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))];
  if (at === undefined) throw new Error('No sample to take a percentile of.');
  return at;
}

/** Latency figures, in the unit of the samples. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly count: number;
}

/** Summarizes latency samples. */
export function latencyOf(samples: readonly number[]): Latency {
  return {
    p50: percentile(samples, 0.5),
    p99: percentile(samples, 0.99),
    max: percentile(samples, 1),
    count: samples.length,
  };
}
