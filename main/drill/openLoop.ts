/**
 * Open loop: starts operations at a fixed rate, independent of earlier ones, and waits for the
 * last.
 *
 * @param begin must not throw; its result is awaited at the end
 * @param signal ends it before its time
 */
export async function openLoop(
  perSecond: number,
  milliseconds: number,
  begin: (index: number) => Promise<void>,
  signal?: AbortSignal,
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
      if (running.length >= total || signal?.aborted === true) resolve();
      else setTimeout(tick, 1);
    }
    tick();
  });
  await Promise.all(running);
}
