import type { Dependency } from '../../application/ports/faults.ts';
import {
  createOutsideAccess,
  type OutsideAccess,
  type OutsideAccessOptions,
  type OutsideBound,
} from './access.ts';

/**
 * Outside systems whose bound is their own pool's: connections, sessions of the token, one request to the log, one object;
 * and the clock, which nobody waits for.
 */
export type PooledDependency =
  | 'clock'
  | 'eventStore'
  | 'database'
  | 'readModels'
  | 'revocationLists'
  | 'civilRegistry'
  | 'organizationRegistry'
  | 'redis'
  | 'keyVault'
  | 'issuingAuthority'
  | 'backup';

/** Outside systems that are called without a pool. */
export type BoundedDependency = Exclude<Dependency, PooledDependency>;

/**
 * Bounds of a process (docs/operations.md, External systems). Files and names are looked up in threads that the whole
 * process shares, so those have two places each; the others wait on sockets.
 */
export const outsideBounds: Readonly<Record<BoundedDependency, OutsideBound>> = {
  fileStore: { most: 2, timeoutMs: 10_000 },
  archive: { most: 2, timeoutMs: 10_000 },
  temporaryFiles: { most: 2, timeoutMs: 10_000 },
  countryRevocations: { most: 1, timeoutMs: 5_000 },
  names: { most: 2, timeoutMs: 5_000 },
  fileScanner: { most: 8, timeoutMs: 30_000 },
  push: { most: 32, timeoutMs: 10_000 },
  dan: { most: 32, timeoutMs: 60_000 },
  certificateStatus: { most: 32, timeoutMs: 10_000 },
  timestamping: { most: 32, timeoutMs: 60_000 },
  directory: { most: 32, timeoutMs: 60_000 },
  languageModel: { most: 32, timeoutMs: 600_000 },
  embeddings: { most: 8, timeoutMs: 120_000 },
  speechToText: { most: 8, timeoutMs: 120_000 },
  textToSpeech: { most: 8, timeoutMs: 120_000 },
};

/** Everything outside that a process opened. */
export interface Outside {
  /** The access to a system, the same one for all who call it. */
  open(
    dependency: BoundedDependency,
    special?: Partial<Omit<OutsideAccessOptions, 'dependency'>>,
  ): OutsideAccess;
  /** Checks of what was opened, for `/readyz`. */
  checks(): Readonly<Record<string, () => Promise<void>>>;
}

export function createOutside(): Outside {
  const opened = new Map<BoundedDependency, OutsideAccess>();
  return {
    open(dependency, special = {}) {
      const access =
        opened.get(dependency) ??
        createOutsideAccess({ dependency, ...outsideBounds[dependency], ...special });
      opened.set(dependency, access);
      return access;
    },
    checks: () =>
      Object.fromEntries(Array.from(opened, ([name, access]) => [name, () => access.check()])),
  };
}
