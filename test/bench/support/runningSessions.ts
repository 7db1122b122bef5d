import type { Bench } from './scenario.ts';
import type { BenchService } from './service.ts';

const CREATING_AT_ONCE = 32;

/** Starts unanswered sessions, one for each poll. @returns their ids */
export async function runningSessions(
  bench: Bench,
  service: BenchService,
  count: number,
): Promise<string[]> {
  bench.progress(`starting ${count} sessions`);
  const ids: string[] = [];
  let started = 0;
  await Promise.all(
    Array.from({ length: CREATING_AT_ONCE }, async () => {
      const user = await service.user(0);
      while (started < count) {
        started += 1;
        ids.push(await user.create());
      }
      user.close();
    }),
  );
  return ids;
}
