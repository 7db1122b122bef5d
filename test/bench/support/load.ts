/** Result of a load of equal operations. */
export interface LoadResult {
  readonly perSecond: number;
  /** Latency per operation, ms. */
  readonly latencies: readonly number[];
}

/** Closed loop: keeps `inFlight` operations running for `milliseconds`, then waits for the last. */
export async function closedLoop(
  inFlight: number,
  milliseconds: number,
  operation: (index: number, worker: number) => Promise<unknown>,
): Promise<LoadResult> {
  const latencies: number[] = [];
  let next = 0;
  const startedAt = performance.now();
  const endAt = startedAt + milliseconds;
  async function work(worker: number): Promise<void> {
    for (let begin = performance.now(); begin < endAt;) {
      await operation(next++, worker);
      const end = performance.now();
      latencies.push(end - begin);
      begin = end;
    }
  }
  await Promise.all(Array.from({ length: inFlight }, (_, worker) => work(worker)));
  return { perSecond: latencies.length / ((performance.now() - startedAt) / 1000), latencies };
}
