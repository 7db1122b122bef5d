import type { Kysely } from 'kysely';
import type { WakeSender } from '../../application/ports/wake.ts';
import { isAway } from '../../infrastructure/postgres/availability.ts';
import { createCopyWriter } from '../../infrastructure/postgres/copyWriter.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import { createSingleActive } from '../../infrastructure/postgres/singleActive.ts';
import type { Database } from '../../projections/database.ts';
import { createProjector, type Projector } from '../../projections/projector.ts';
import { rebuildReadModel } from '../../projections/rebuild.ts';
import type { SessionHistory } from './sessionHistory.ts';

/** A running projector over a history, all read models, as the service runs it. */
export interface Projecting {
  readonly projector: Projector;
  readonly database: Kysely<Database>;
  stop(): Promise<void>;
}

/** @param wake hears of every topic right after the rows that changed it were committed */
export function startProjecting(
  history: SessionHistory,
  wake: WakeSender = { wake: () => undefined },
): Projecting {
  const database = createDatabase<Database>(createPool({ url: history.databaseUrl }));
  const projector = createProjector({
    database,
    eventStore: history.eventStore,
    vault: history.vault,
    wake,
    clock: { now: () => new Date() },
    isOutage: isAway,
    onFailure: (name, cause) => {
      process.stderr.write(`projection ${name} failed: ${String(cause)}\n`);
    },
    singleActive: createSingleActive({ url: history.databaseUrl }),
  });
  projector.start();
  return {
    projector,
    database,
    stop: async () => {
      await projector.stop();
      await database.destroy();
    },
  };
}

/** Empties the session read model and forgets where every projection was. */
export async function forgetSessionRows(history: SessionHistory): Promise<void> {
  await history.pool.query('truncate session_view');
  await history.pool.query('delete from checkpoint');
}

/** Rebuilds the session read model in a side table and swaps it in, as `./tamga rebuild sessions` does. */
export async function rebuildSessions(history: SessionHistory): Promise<void> {
  const database = createDatabase<Database>(createPool({ url: history.databaseUrl, max: 4 }));
  try {
    await rebuildReadModel('sessions', {
      database,
      eventStore: history.eventStore,
      vault: history.vault,
      bulkWriter: createCopyWriter({ pool: history.pool }),
    });
  } finally {
    await database.destroy();
  }
}
