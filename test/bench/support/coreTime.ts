/**
 * Repeats an operation for about `milliseconds`, `atOnce` concurrently.
 *
 * @returns operations per second of processor time of this process, all threads included: the
 * throughput of one core, independent of other load
 */
export async function perCoreSecond(
  milliseconds: number,
  operation: (index: number) => unknown,
  atOnce = 1,
): Promise<number> {
  const begin = performance.now();
  const used = process.cpuUsage();
  let done = 0;
  do {
    const batch = Array.from({ length: 32 }, (_, index) => done + index);
    for (let at = 0; at < batch.length; at += atOnce) {
      await Promise.all(batch.slice(at, at + atOnce).map(operation));
    }
    done += batch.length;
  } while (performance.now() - begin < milliseconds);
  const { user, system } = process.cpuUsage(used);
  return done / ((user + system) / 1e6);
}
