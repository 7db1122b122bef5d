import type { Kysely } from 'kysely';
import type { NotificationSender } from '../../../application/ports/notifications.ts';
import { createDatabase, createPool, isOutage } from '../../../infrastructure/postgres/pool.ts';
import { createCopyWriter } from '../../../infrastructure/postgres/copyWriter.ts';
import { createLeaderLock } from '../../../infrastructure/postgres/leaderLock.ts';
import type { Database } from '../../../projections/database.ts';
import { createProjector, type Projector } from '../../../projections/engine/projector.ts';
import { rebuildReadModel } from '../../../projections/engine/rebuild.ts';
import type { SessionHistory } from './sessionHistory.ts';

/** A running projector of all read models over a history, as in the service. */
export interface Projecting {
  readonly projector: Projector;
  readonly database: Kysely<Database>;
  stop(): Promise<void>;
}

/** @param notifications notified of topics right after their rows were committed */
export function startProjecting(
  history: SessionHistory,
  notifications: NotificationSender = { notify: () => undefined },
): Projecting {
  const database = createDatabase<Database>(createPool({ url: history.databaseUrl }));
  const projector = createProjector({
    database,
    eventStore: history.eventStore,
    vault: history.vault,
    notifications,
    clock: { now: () => new Date() },
    isOutage: isOutage,
    onFailure: (name, cause) => {
      process.stderr.write(`projection ${name} failed: ${String(cause)}\n`);
    },
    leaderLock: createLeaderLock({ url: history.databaseUrl }),
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

/** Empties the session read model and deletes the checkpoints of all projections. */
export async function forgetSessionRows(history: SessionHistory): Promise<void> {
  await history.pool.query('truncate session_view');
  await history.pool.query('delete from checkpoint');
}

/**
 * Rebuilds the session read model in a side table and swaps it in, like `./tamga rebuild sessions`.
 */
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
