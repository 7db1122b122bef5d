import type { Kysely } from 'kysely';
import type { Config } from '../../infrastructure/config/config.ts';
import { lastDone } from '../../infrastructure/postgres/lastDone.ts';
import { withMaintenanceConnection } from '../../infrastructure/postgres/maintenanceConnection.ts';
import {
  assertKnownSchema,
  contractsWaiting,
  type KnownSchema,
  migrate,
  thisRelease,
} from '../../infrastructure/postgres/migrate.ts';
import {
  findProcesses,
  raiseLevel,
  type RunningProcess,
} from '../../infrastructure/postgres/releaseLevel.ts';
import { openDatabase } from './stores.ts';

/** State of an upgrade to this release. */
export interface UpgradeState {
  /** Of the installation. */
  readonly level: number;
  /** Of this release. */
  readonly known: number;
  readonly processes: readonly RunningProcess[];
  /** Migrations of this release that take something away, and were not executed. */
  readonly waiting: readonly string[];
  /** True while anything waits to be finished. */
  readonly isOpen: boolean;
  /** Moment of the last backup; null: none was noted. */
  readonly lastBackup: Date | null;
}

/** An upgrade of the installation to this release. */
export interface Upgrade {
  /** Reads it and changes nothing. */
  state(): Promise<UpgradeState>;
  /**
   * Raises the installation to the level of this release and executes what waits for it. Interrupted, it is repeated.
   *
   * @throws Error while a process of a former release runs: nothing was raised
   */
  finish(): Promise<UpgradeState>;
}

/** Opens the database of the installation for its upgrade; starts nothing and migrates nothing. */
export async function withUpgrade(
  config: Config,
  work: (upgrade: Upgrade) => Promise<void>,
): Promise<void> {
  const { databaseUrl, closeDatabase } = await openDatabase(config);
  try {
    await withMaintenanceConnection<unknown>(databaseUrl, ({ database }) =>
      work(createUpgrade(database)),
    );
  } finally {
    await closeDatabase();
  }
}

/** @param release the one that is upgraded to; default: this one */
export function createUpgrade(
  database: Kysely<unknown>,
  release: KnownSchema = thisRelease,
): Upgrade {
  async function state(): Promise<UpgradeState> {
    const found = await assertKnownSchema(database, release);
    const waiting = contractsWaiting(found, release);
    return {
      level: found.level,
      known: release.level,
      processes: await findProcesses(database),
      waiting,
      isOpen: found.level < release.level || waiting.length > 0,
      lastBackup: await lastDone(database, 'backup'),
    };
  }

  return {
    state,
    async finish() {
      await migrate(database, release);
      const { processes } = await state();
      const former = processes.filter(({ level }) => level < release.level);
      if (former.length > 0) {
        throw new Error(
          `Processes of a former release are running: ${former.map(({ name }) => name).join(', ')}. Upgrade or stop them, then ` +
            'finish again. ./tamga upgrade status lists all processes.',
        );
      }
      // Raised first: from here on no process of the former release starts any more.
      await raiseLevel(database, release.level);
      await migrate(database, release);
      return state();
    },
  };
}
