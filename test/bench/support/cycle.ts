import { closedLoop, type LoadResult } from './load.ts';

/** A citizen and a relying party that run whole sessions sequentially. */
export interface VirtualUser {
  /** Create → long poll held → phone confirms → poll answers COMPLETE. @throws Error when it does not */
  cycle(): Promise<void>;
  close(): void;
}

/** Keeps every virtual user busy for a while; one operation is one whole cycle. */
export function runCycles(
  users: readonly VirtualUser[],
  milliseconds: number,
): Promise<LoadResult> {
  return closedLoop(users.length, milliseconds, (_index, worker) => {
    const user = users[worker];
    if (user === undefined) throw new Error('More workers than virtual users.');
    return user.cycle();
  });
}
