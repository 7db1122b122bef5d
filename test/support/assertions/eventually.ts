import { setTimeout as after } from 'node:timers/promises';

/** Tries `assertion` until it holds; after `timeoutMs` its last failure is thrown. */
export async function eventually<T>(
  assertion: () => T | Promise<T>,
  timeoutMs = 30_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await after(10);
    }
  }
}
