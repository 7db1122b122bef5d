import { type Kysely, sql } from 'kysely';
import type pg from 'pg';
import { createDatabase, createPool, isOutage } from '../../../infrastructure/postgres/pool.ts';
import { createLeaderLock } from '../../../infrastructure/postgres/leaderLock.ts';
import {
  createNotificationHub,
  type NotificationHub,
} from '../../../infrastructure/postgres/notifications.ts';
import type { Database } from '../../../projections/database.ts';
import type { FoldUpkeep } from '../../../projections/engine/foldVersions.ts';
import { createProjector, type Projector } from '../../../projections/engine/projector.ts';
import { readModels } from '../../../projections/readModels.ts';
import type { AnyReadModel } from '../../../projections/engine/readModel.ts';
import { createMemoryEventStore } from '../doubles/memoryEventStore.ts';
import { migratedDatabase } from './eventLogs.ts';
import { systemClock } from '../../../infrastructure/system.ts';
import { testVault } from '../doubles/vault.ts';

export interface Failure {
  readonly name: string;
  readonly cause: unknown;
  readonly eventId: string | null;
}

/**
 * A log in memory and as many projectors as a test wants.
 *
 * @param existing URL of its database; default: a migrated one
 */
export async function openReadSide(existing?: string) {
  const url = existing ?? (await migratedDatabase());
  const pool: pg.Pool = createPool({ url });
  const database: Kysely<Database> = createDatabase<Database>(pool);
  const eventStore = createMemoryEventStore();
  const vault = testVault();
  const failures: Failure[] = [];
  const parked: Pick<Failure, 'name' | 'eventId'>[] = [];
  const newer: string[] = [];
  const projectors: Projector[] = [];

  function projector(
    options: {
      readonly models?: readonly AnyReadModel[];
      readonly notifications?: NotificationHub;
      readonly foldUpkeep?: FoldUpkeep;
    } = {},
  ): Projector {
    const created = createProjector({
      database,
      eventStore,
      vault,
      notifications: options.notifications ?? createNotificationHub(),
      clock: systemClock,
      isOutage: isOutage,
      onFailure: (name, cause, eventId) => failures.push({ name, cause, eventId }),
      onParked: (name, _cause, eventId) => parked.push({ name, eventId }),
      onNewer: (name) => newer.push(name),
      leaderLock: createLeaderLock({ url, pollMs: 20 }),
      readModels: options.models ?? readModels,
      ...(options.foldUpkeep && { foldUpkeep: options.foldUpkeep }),
    });
    projectors.push(created);
    return created;
  }

  return {
    url,
    database,
    eventStore,
    vault,
    failures,
    /** Events that were parked. */
    parked,
    /** Read models that were told of events of a newer release. */
    newer,
    projector,
    /** Every row of every read model and what they count for, for comparison. */
    async contents(...models: readonly AnyReadModel[]): Promise<Record<string, unknown[]>> {
      const contents: Record<string, unknown[]> = {};
      for (const { table, key } of models.length > 0 ? models : readModels) {
        const { rows } =
          await sql`select * from ${sql.table(table)} order by ${sql.ref(key)}`.execute(database);
        contents[table] = rows;
      }
      const { rows } = await sql`
        select * from tally where count <> 0 order by metric, bucket, relying_party_id, label
      `.execute(database);
      contents['tally'] = rows;
      return contents;
    },
    async close() {
      await Promise.all(projectors.map((each) => each.stop()));
      await database.destroy();
    },
  };
}

export type ReadSide = Awaited<ReturnType<typeof openReadSide>>;
