import type pg from 'pg';
import type { Log } from '../../application/ports/log.ts';
import type { NotificationFeed } from '../../application/ports/notifications.ts';
import { withMaintenanceConnection } from '../../infrastructure/postgres/maintenanceConnection.ts';
import { migrate, thisRelease } from '../../infrastructure/postgres/migrate.ts';
import {
  announced,
  createReleaseLevel,
  type ReleaseLevel,
} from '../../infrastructure/postgres/releaseLevel.ts';
import { programVersion } from '../../infrastructure/version.ts';

// This release among the others of an installation (ADR 65).

/** Brings the database to the schema of this release. @throws as {@link migrate} */
export function migrateHere(databaseUrl: string, log: Pick<Log, 'warn'>): Promise<void> {
  return withMaintenanceConnection(databaseUrl, async ({ database }) => {
    const { newer } = await migrate(database);
    if (newer.length > 0) {
      log.warn({ migrations: newer }, 'The database has migrations of a newer release.');
    }
  });
}

/** Name that tells others of this process. @param marks of the master keys it was given */
export const announcedHere = (marks: readonly string[]) =>
  announced(programVersion(), thisRelease.level, marks);

/** Follows the level of the installation, once it is started. */
export function followLevel(
  pool: pg.Pool,
  feed: NotificationFeed,
  log: Pick<Log, 'error'>,
  onOutdated?: (cause: Error) => void,
): ReleaseLevel {
  return createReleaseLevel({
    pool,
    feed,
    known: thisRelease.level,
    onFailure: (cause) =>
      log.error({ err: cause }, 'The installation has another level than this process expects.'),
    ...(onOutdated && { onOutdated }),
  });
}
