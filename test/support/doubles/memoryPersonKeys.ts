import type { PersonKeys } from '../../../infrastructure/codec/personKeys.ts';

/** Wrapped keys in memory; several vaults on one of these behave like several processes on one database. */
export function createMemoryPersonKeys(
  initial: Iterable<readonly [subject: string, wrappedKey: Buffer]> = [],
): PersonKeys {
  const kept = new Map<string, Buffer | 'destroyed'>(initial);
  const destroyed: string[] = [];
  return {
    find: (subjects) => {
      const found = new Map<string, Buffer | 'destroyed'>();
      for (const subject of subjects) {
        const key = kept.get(subject);
        if (key !== undefined) found.set(subject, key);
      }
      return Promise.resolve(found);
    },
    add: (wrappedKeys) => {
      for (const [subject, key] of wrappedKeys) if (!kept.has(subject)) kept.set(subject, key);
      return Promise.resolve(true);
    },
    destroy: (subject) => {
      if (kept.get(subject) !== 'destroyed') {
        kept.set(subject, 'destroyed');
        destroyed.push(subject);
      }
      return Promise.resolve();
    },
    destroyedAfter: (cursor) =>
      Promise.resolve({
        subjects: cursor === null ? [] : destroyed.slice(Number(cursor)),
        cursor: BigInt(destroyed.length),
      }),
  };
}
