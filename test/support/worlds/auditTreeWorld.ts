import type pg from 'pg';
import { createTreeService } from '../../../application/audit/treeService.ts';
import { createTreeKeys, type TreeKeys } from '../../../application/audit/treeKeys.ts';
import { createTreeHeads } from '../../../application/audit/treeHeads.ts';
import { createTreeProofs } from '../../../application/audit/treeProofs.ts';
import type { Clock } from '../../../application/ports/clock.ts';
import { eventBatches } from '../../../application/ports/eventBatches.ts';
import type { EventLog, LoggedEvent } from '../../../application/ports/eventLog.ts';
import type { LeaderLock } from '../../../application/ports/leaderLock.ts';
import { createAuditTreeGrower } from '../../../application/reactors/growAuditTree.ts';
import type { Reactor } from '../../../application/reactors/reactor.ts';
import { eventLeafHash } from '../../../domain/merkle/hashTree.ts';
import { createFrontier } from '../../../domain/merkle/frontier.ts';
import { treeKeyIn } from '../../../infrastructure/pki/treeKeyCertificate.ts';
import { createPostgresAuditTree } from '../../../infrastructure/postgres/auditTree.ts';
import { createPool } from '../../../infrastructure/postgres/pool.ts';
import { startTestAuthority, type TestAuthority } from '../doubles/memoryPki.ts';
import { until } from '../assertions/waiting.ts';
import { systemRandomness, systemClock } from '../../../infrastructure/system.ts';
import { everybodyActive } from '../doubles/memoryPorts.ts';

/** Tree over the log in one process. */
export interface AuditTreeProcess {
  readonly grower: Reactor;
  readonly failures: readonly unknown[];
  readonly store: ReturnType<typeof createPostgresAuditTree>;
  readonly proofs: ReturnType<typeof createTreeProofs>;
  readonly heads: ReturnType<typeof createTreeHeads>;
  readonly trees: ReturnType<typeof createTreeService>;
  readonly keys: TreeKeys;
}

export interface AuditTreeWorld {
  readonly pool: pg.Pool;
  /** The vault, and the CAs that certify its keys. */
  readonly pki: TestAuthority;
  /** Another process on the same database, not started. */
  process(overrides?: Partial<ProcessOptions>): AuditTreeProcess;
  /** Resolves when the tree has every event the log has now. */
  untilGrown(): Promise<void>;
  stop(): Promise<void>;
}

interface ProcessOptions {
  readonly eventLog: Pick<EventLog, 'subscribe' | 'head'>;
  readonly clock: Clock;
  readonly leaderLock: LeaderLock;
  readonly signEveryMs: number;
  readonly keyVault: TestAuthority['vault'];
}

/** The tree over a log: the tables in the database at `url`, keys in memory. */
export async function createAuditTreeWorld(
  url: string,
  log: EventLog,
  {
    logIsHere = true,
    pki: given,
  }: { readonly logIsHere?: boolean; readonly pki?: TestAuthority } = {},
): Promise<AuditTreeWorld> {
  const pool = createPool({ url });
  const pki = given ?? (await startTestAuthority());
  const state = createPostgresAuditTree(pool, logIsHere);
  return {
    pool,
    pki,
    process(overrides = {}) {
      const options: ProcessOptions = {
        eventLog: log,
        clock: systemClock,
        leaderLock: everybodyActive,
        signEveryMs: 3_600_000,
        keyVault: pki.vault,
        ...overrides,
      };
      const store = createPostgresAuditTree(pool, logIsHere);
      const proofs = createTreeProofs(store);
      const { clock, keyVault } = options;
      const { authority } = pki;
      const { root } = authority.certificates;
      const keyIn = (certificate: Buffer) => treeKeyIn(certificate, root);
      const randomness = systemRandomness;
      const keys = createTreeKeys({ store, keyVault, authority, keyIn, randomness, clock });
      const heads = createTreeHeads({ store, proofs, keys, clock });
      const failures: unknown[] = [];
      const onFailure = (_name: string, cause: unknown) => void failures.push(cause);
      return {
        store,
        proofs,
        heads,
        keys,
        failures,
        trees: createTreeService({ eventLog: options.eventLog, store, proofs, heads }),
        grower: createAuditTreeGrower({ ...options, store, heads, onFailure }),
      };
    },
    untilGrown: async () => {
      const head = await log.head();
      await until(async () => head === null || ((await state.state()).position ?? -1n) >= head);
    },
    stop: async () => {
      await pool.end();
      if (given === undefined) await pki.stop();
    },
  };
}

/** All events of a log, in its order. */
export async function wholeLog(log: EventLog): Promise<readonly LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for await (const batch of eventBatches(log)) events.push(...batch);
  return events;
}

/** The roots of the trees over the first 0, 1, … events: what every head has to say. */
export function rootsOver(events: readonly LoggedEvent[]): readonly Buffer[] {
  const frontier = createFrontier();
  return [
    frontier.root(),
    ...events.map((event) => {
      frontier.append(eventLeafHash(event));
      return frontier.root();
    }),
  ];
}
