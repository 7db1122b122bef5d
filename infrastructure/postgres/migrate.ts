import { type Kysely, Migrator, sql } from 'kysely';
import { isLockRefused, Misconfigured } from '../../application/ports/faults.ts';
import { backOff, pause } from '../../application/ports/follow.ts';
import { catalog } from '../codec/catalog.ts';
import { baseline } from './migrations/001_baseline.ts';
import { restoredBackup } from './migrations/002_restored_backup.ts';
import { releaseLevel } from './migrations/003_release_level.ts';
import { foldVersion } from './migrations/004_fold_version.ts';
import { knownServer } from './migrations/005_known_server.ts';
import { masterKeys } from './migrations/006_master_keys.ts';
import { lastDone } from './migrations/007_last_done.ts';
import { registerUpload } from './migrations/008_register_upload.ts';
import { knownDatabase } from './migrations/009_known_database.ts';
import { askedAcceptance } from './migrations/010_asked_acceptance.ts';
import { formerSoftwareKeys } from './migrations/011_former_software_keys.ts';
import { relyingPartyRequests } from './migrations/012_relying_party_requests.ts';
import { webhooks } from './migrations/013_webhooks.ts';
import { relyingPartyContact } from './migrations/014_relying_party_contact.ts';
import { openIdLogins } from './migrations/015_openid_logins.ts';
import { signalStreams } from './migrations/016_signal_streams.ts';
import { organizationNameOrder } from './migrations/017_organization_name_order.ts';
import { preparedWarnings } from './migrations/018_prepared_warnings.ts';
import { organizationStatusOrder } from './migrations/019_organization_status_order.ts';
import { approvalSubject } from './migrations/020_approval_subject.ts';
import type { SchemaMigration } from './migrations/statements.ts';

/** Migrations by name. */
export type Migrations = Readonly<Record<string, SchemaMigration>>;

/** All migrations, applied in the order of their names; frozen once released. */
const migrations: Migrations = {
  '001_baseline': baseline,
  '002_restored_backup': restoredBackup,
  '003_release_level': releaseLevel,
  '004_fold_version': foldVersion,
  '005_known_server': knownServer,
  '006_master_keys': masterKeys,
  '007_last_done': lastDone,
  '008_register_upload': registerUpload,
  '009_known_database': knownDatabase,
  '010_asked_acceptance': askedAcceptance,
  '011_former_software_keys': formerSoftwareKeys,
  '012_relying_party_requests': relyingPartyRequests,
  '013_webhooks': webhooks,
  '014_relying_party_contact': relyingPartyContact,
  '015_openid_logins': openIdLogins,
  '016_signal_streams': signalStreams,
  '017_organization_name_order': organizationNameOrder,
  '018_prepared_warnings': preparedWarnings,
  '019_organization_status_order': organizationStatusOrder,
  '020_approval_subject': approvalSubject,
};

/** Schema as a program knows it. */
export interface KnownSchema {
  readonly migrations: Migrations;
  /** Highest level of an installation that it can be part of. */
  readonly level: number;
}

/** This release: its level is that of the newest thing in it that waits for one. */
export const thisRelease: KnownSchema = {
  migrations,
  level: Math.max(
    ...Object.values(migrations).map(({ contractsAt }) => contractsAt ?? 1),
    ...Object.values(catalog).map(({ since }) => since?.level ?? 1),
  ),
};

/** Schema as it was found in the database. */
export interface FoundSchema {
  /** Names of the migrations that were applied. */
  readonly applied: readonly string[];
  /** Those of a newer release, which this one runs on. */
  readonly newer: readonly string[];
  /** Level of the installation; 1 before it has any. */
  readonly level: number;
}

const noAnswer = 'The database (SVC_DATABASE_URL) does not answer, or refuses this user.';

/** The database has a schema that this program cannot run on. */
export class UnknownSchema extends Misconfigured {
  override readonly name = 'UnknownSchema';
}

/** Tries of a migration that waits for locks: a minute, with the waits themselves two. */
const ATTEMPTS = 20;

/**
 * Checks that this program runs on the schema of the database, or can bring it there. Changes nothing. Migrations of a
 * newer release are no obstacle before the installation was raised to a level that this one does not know.
 *
 * @throws UnknownSchema of a newer release's installation, or of a build before the first one
 */
export async function assertKnownSchema(
  database: Kysely<unknown>,
  known: KnownSchema = thisRelease,
): Promise<FoundSchema> {
  if (!(await hasTable(database, 'kysely_migration'))) return { applied: [], newer: [], level: 1 };
  const { rows } = await sql<{ name: string }>`
    select name from kysely_migration order by name`.execute(database);
  const applied = rows.map(({ name }) => name);
  if (applied.length > 0 && !applied.includes('001_baseline')) {
    throw new UnknownSchema(
      'The database (SVC_DATABASE_URL) has the schema of a build before the first release, which cannot be ' +
        'migrated. Name an empty database. For the embedded database, move SVC_DATA_DIR away.',
    );
  }
  const level = await readLevel(database);
  if (level > known.level) throw finishedByNewer(level, known.level);
  const newer = applied.filter((name) => !Object.hasOwn(known.migrations, name));
  return { applied, newer, level };
}

/** The way back to this release has ended. */
export function finishedByNewer(level: number, known: number): UnknownSchema {
  return new UnknownSchema(
    `The database (SVC_DATABASE_URL) belongs to a newer release: its upgrade was finished at level ${level}, but this release ` +
      `knows level ${known} at most. Start the newer release, or restore a backup from before the upgrade was finished ` +
      '(docs/upgrading.md).',
  );
}

async function hasTable(database: Kysely<unknown>, table: string): Promise<boolean> {
  const { rows } = await sql`select where to_regclass(${table}) is not null`.execute(database);
  return rows.length > 0;
}

async function readLevel(database: Kysely<unknown>): Promise<number> {
  if (!(await hasTable(database, 'release_level'))) return 1;
  const { rows } = await sql<{ level: number }>`select level from release_level`.execute(database);
  return rows[0]?.level ?? 1;
}

/** Migrations that wait for the installation to be raised to the level of this program. */
export function contractsWaiting(
  { applied }: FoundSchema,
  { migrations: known }: Pick<KnownSchema, 'migrations'>,
): readonly string[] {
  return Object.keys(known).filter(
    (name) => known[name]?.contractsAt !== undefined && !applied.includes(name),
  );
}

/**
 * Brings the database to the newest schema that its level allows; an empty one begins at the level of this program. Safe
 * to call from several processes at once.
 *
 * @throws UnknownSchema; Error that says which migration failed, or why the database does not answer
 */
export async function migrate(
  database: Kysely<unknown>,
  known: KnownSchema = thisRelease,
): Promise<FoundSchema> {
  const found = await assertKnownSchema(database, known).catch((cause: unknown) => {
    throw cause instanceof UnknownSchema ? cause : new Error(noAnswer, { cause });
  });
  const level = found.applied.length === 0 ? known.level : found.level;
  const due = Object.entries(known.migrations).filter(
    ([, { contractsAt = 0 }]) => contractsAt <= level,
  );
  // The migrator describes every column of the database, twice, before it finds that there is nothing to do.
  if (due.every(([name]) => found.applied.includes(name))) return found;
  // The migrator refuses a database with migrations that are not in its list.
  const here = Object.fromEntries(found.newer.map((name) => [name, { up: alreadyApplied }]));
  await patiently(() => execute(database, { ...here, ...Object.fromEntries(due) }));
  if (found.applied.length === 0) {
    await sql`update release_level set level = ${level} where level < ${level}`.execute(database);
  }
  return found;
}

/**
 * Brings an empty database to the schema that these migrations make, whatever level they belong to, and to no level.
 *
 * @param names all of them known
 * @returns false, and nothing done, when the database has others
 * @throws as {@link migrate}
 */
export async function migrateExactly(
  database: Kysely<unknown>,
  names: readonly string[],
  known: KnownSchema = thisRelease,
): Promise<boolean> {
  const { applied } = await assertKnownSchema(database, known);
  if (applied.some((name) => !names.includes(name))) return false;
  const due = Object.entries(known.migrations).filter(([name]) => names.includes(name));
  await patiently(() => execute(database, Object.fromEntries(due)));
  return true;
}

function alreadyApplied(): Promise<void> {
  return Promise.reject(new Error('This migration belongs to another release.'));
}

/** Executes what is missing, in one transaction. */
async function execute(database: Kysely<unknown>, due: Migrations): Promise<void> {
  const migrator = new Migrator({
    db: database,
    // Contracting ones are executed after newer ones that expand.
    allowUnorderedMigrations: true,
    provider: { getMigrations: () => Promise.resolve({ ...due }) },
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results?.find((result) => result.status === 'Error')?.migrationName;
  const what =
    failed === undefined
      ? noAnswer
      : `The database schema could not be updated: migration ${failed} failed.`;
  throw new Error(what, { cause: error });
}

/** Tries again, with growing pauses, while a lock is not to be had in time. */
async function patiently(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (tries >= ATTEMPTS || !isLockRefused(error)) throw error;
      await pause(backOff(tries));
    }
  }
}
