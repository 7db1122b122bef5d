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

/**
 * Open loop: starts operations at a fixed rate, independent of earlier ones, and waits for the
 * last.
 *
 * @param begin must not throw; its result is awaited at the end
 */
export async function openLoop(
  perSecond: number,
  milliseconds: number,
  begin: (index: number) => Promise<void>,
): Promise<void> {
  const total = Math.round((perSecond * milliseconds) / 1000);
  const running: Promise<void>[] = [];
  const startedAt = performance.now();
  await new Promise<void>((resolve) => {
    function tick(): void {
      const due = Math.min(
        total,
        Math.floor(((performance.now() - startedAt) * perSecond) / 1000) + 1,
      );
      while (running.length < due) running.push(begin(running.length));
      if (running.length >= total) resolve();
      else setTimeout(tick, 1);
    }
    tick();
  });
  await Promise.all(running);
}
