import type { KeyObject } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import type pg from 'pg';
import { Unavailable } from '../../application/ports/faults.ts';
import { createLogHash, type LogExtent } from '../../infrastructure/backup/copiedEvents.ts';
import {
  type BackupManifest,
  type BackupPart,
  NotABackup,
  readManifest,
  writeManifest,
} from '../../infrastructure/backup/manifest.ts';
import { packedFiles, unpackFiles } from '../../infrastructure/backup/packedFiles.ts';
import { readPart, verifyParts, writePart } from '../../infrastructure/backup/parts.ts';
import {
  type GivenMasterKeys,
  readMasterKeys,
  type WrappedDerivationKey,
} from '../../infrastructure/codec/postgresMasterKeys.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { createPostgresFollowedLog } from '../../infrastructure/postgres/followedLog.ts';
import { noteDone } from '../../infrastructure/postgres/lastDone.ts';
import { withMaintenanceConnection } from '../../infrastructure/postgres/maintenanceConnection.ts';
import {
  type KnownSchema,
  migrateExactly,
  thisRelease,
} from '../../infrastructure/postgres/migrate.ts';
import { createDatabase, createPool, inTransaction } from '../../infrastructure/postgres/pool.ts';
import { noteRestored } from '../../infrastructure/postgres/restoredBackups.ts';
import {
  continueNumbers,
  copiedTables,
  LOG_TABLE,
  makeRoom,
  readSnapshot,
  schemaOf,
  writeTable,
} from '../../infrastructure/postgres/tableCopies.ts';
import { programVersion } from '../../infrastructure/version.ts';
import { openDatabase } from './stores.ts';
import { archiveUse, fileStoreUse, objectDirectory } from './objectStores.ts';

/** Part of a backup that is being written or read: a table, or files. */
export interface BackupProgress {
  readonly part: string;
  /** Rows or files of it so far. */
  readonly entries: number;
}

export interface BackupRequest {
  /** Directory that does not exist, or is empty. */
  readonly to: string;
  readonly recipients: readonly KeyObject[];
  readonly onProgress: (soFar: BackupProgress) => void;
}

export interface RestoreRequest {
  readonly from: string;
  readonly identities: readonly KeyObject[];
  readonly onProgress: (soFar: BackupProgress) => void;
}

/** Stores of files that a backup holds where they are directories of this machine. */
const stores = { files: fileStoreUse, archive: archiveUse } as const;
const isStore = (name: string): name is keyof typeof stores => name in stores;

/**
 * Writes a backup of the database, log and keys in it included, as of one moment, and of the files beside it, while the
 * service runs.
 *
 * @throws Error when the directory is not empty, the log is in EventStoreDB, or the database holds no installation
 * @throws Unavailable(database)
 */
export async function backUp(config: Config, request: BackupRequest): Promise<BackupManifest> {
  const { to, recipients, onProgress } = request;
  refuseEventStoreDb(config);
  await makeEmptyDirectory(to);
  return withDatabase(config, async (pool, masterKeys) => {
    const { followed } = await createPostgresFollowedLog(pool).load();
    if (followed === null) {
      throw new Error('The database (SVC_DATABASE_URL) holds no installation: nothing to back up.');
    }
    const { derivationKey, wrapped } = await readMasterKeys(pool, masterKeys);
    const madeAt = new Date().toISOString();
    const log = createLogHash();
    const parts: BackupPart[] = [];

    async function add(
      part: string,
      columns: readonly string[] | null,
      contentOf: (onEntries: (count: number) => void) => AsyncIterable<Uint8Array>,
    ) {
      let entries = 0;
      const content = contentOf((count) => onProgress({ part, entries: (entries += count) }));
      const file = await writePart(to, part, content, recipients);
      parts.push({ name: part, entries, ...file, columns: columns && [...columns] });
    }

    const schema = await schemaOf(pool);
    await readSnapshot(pool, ({ name, columns }, rows) =>
      add(name, columns, (onRows) =>
        counting(name === LOG_TABLE.name ? log.through(rows) : rows, onRows),
      ),
    );
    for (const [part, use] of Object.entries(stores)) {
      const directory = objectDirectory(config, use);
      if (directory !== null) await add(part, null, (onFile) => packedFiles(directory, onFile));
    }
    const manifest: BackupManifest = {
      format: 1,
      madeAt,
      version: programVersion(),
      schema: [...schema],
      installation: followed,
      ...(isRotated(wrapped) && { derivationKeys: wrapped.map(asText) }),
      log: written(log.extent()),
      parts,
    };
    await writeManifest(to, manifest, derivationKey);
    await noteDone(createDatabase<unknown>(pool), 'backup', new Date(madeAt));
    return manifest;
  });
}

/** Former releases know no other member than before the first rotation. */
const isRotated = (wrapped: readonly WrappedDerivationKey[]) =>
  wrapped.some(({ generation }) => generation > 0);

const asText = ({ key, ...rest }: WrappedDerivationKey) => ({
  ...rest,
  key: key.toString('base64'),
});

/**
 * Restores a backup into an empty database and the directories of files. What is restored serves nobody and signs nothing
 * until it is accepted.
 *
 * @throws NotABackup when anything in the directory is not what was written; nothing was changed then
 * @param release that restores it; default: this one
 * @throws Error when the database is not empty
 */
export async function restoreBackup(
  config: Config,
  { from, identities, onProgress }: RestoreRequest,
  release: KnownSchema = thisRelease,
): Promise<BackupManifest> {
  refuseEventStoreDb(config);
  return withDatabase(config, async (pool, masterKeys, databaseUrl) => {
    const manifest = await readManifest(from, masterKeys);
    const { parts } = manifest;
    await verifyParts(from, parts);
    refuseUnknown(manifest, release);
    // Schema of an upgrade that is not finished lacks what waits for its end; the level is among the rows.
    await withMaintenanceConnection<unknown>(databaseUrl, async ({ database }) => {
      if (!(await migrateExactly(database, manifest.schema, release))) throw notEmpty();
    });
    await refuseOther(pool, manifest);
    await refuseUsed(pool);
    const files = parts.filter(({ name }) => isStore(name));
    const directories = new Map(files.map(({ name }) => [name, directoryFor(config, name)]));
    await inTransaction(pool, async (client) => {
      await writeTables(client, manifest, (part) => readPart(from, part, identities), onProgress);
      for (const part of files) {
        let entries = 0;
        await unpackFiles(
          directories.get(part.name) ?? '',
          readPart(from, part, identities),
          (count) => onProgress({ part: part.name, entries: (entries += count) }),
        );
      }
      await noteRestored(client, { madeAt: manifest.madeAt, ...manifest.log });
    });
    await pool.query('analyze');
    return manifest;
  });
}

async function writeTables(
  client: pg.PoolClient,
  { parts, log: expected }: BackupManifest,
  read: (part: BackupPart) => AsyncIterable<Uint8Array>,
  onProgress: RestoreRequest['onProgress'],
): Promise<void> {
  const log = createLogHash();
  // Before the events, which need them: partitions are made as large as they were.
  const inOrder = [...parts].sort(({ name: one }, { name: other }) => rank(one) - rank(other));
  for (const part of inOrder) {
    const { name, columns } = part;
    if (columns === null) continue;
    if (name === LOG_TABLE.name && expected.head !== null) {
      await makeRoom(client, BigInt(expected.head));
    }
    let entries = 0;
    const rows = counting(read(part), (count) =>
      onProgress({ part: name, entries: (entries += count) }),
    );
    await writeTable(client, { name, columns }, name === LOG_TABLE.name ? log.through(rows) : rows);
  }
  await continueNumbers(client);
  const found = written(log.extent());
  if (found.root === expected.root && found.head === expected.head) return;
  throw new NotABackup(
    `The log of the backup is not the one it was made of: its Merkle root is ${found.root} over ${found.events} events, ` +
      `in the manifest ${expected.root} over ${expected.events}.`,
  );
}

const rank = (name: string) => (name === LOG_TABLE.name ? 1 : 0);

const written = ({ events, head, root }: LogExtent): BackupManifest['log'] => ({
  events,
  head: head?.toString() ?? null,
  root,
});

/** Passes rows of a table on and counts them by their ends. */
async function* counting(
  rows: AsyncIterable<Uint8Array>,
  onRows: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of rows) {
    let count = 0;
    for (let at = piece.indexOf(0x0a); at !== -1; at = piece.indexOf(0x0a, at + 1)) count += 1;
    onRows(count);
    yield piece;
  }
}

function directoryFor(config: Config, name: string): string {
  const directory = isStore(name) ? objectDirectory(config, stores[name]) : null;
  if (directory !== null) return directory;
  throw new Error(
    name === 'files'
      ? 'The backup holds files of documents: say where they are restored to with SVC_FILE_STORE_DIR.'
      : 'The backup holds an archive: say where it is restored to with SVC_ARCHIVE_DIR.',
  );
}

function refuseUnknown({ schema, version }: BackupManifest, { migrations }: KnownSchema): void {
  const unknown = schema.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length === 0) return;
  throw new NotABackup(
    `The backup was made by release ${version}, of a database with migrations that this release ` +
      `(${programVersion()}) does not know: ${unknown.join(', ')}. Restore it with release ${version}; where an upgrade was ` +
      'taken back before the backup, with the newer release that brought them.',
  );
}

async function refuseOther(pool: pg.Pool, { parts }: BackupManifest): Promise<void> {
  const tables = new Set((await copiedTables(pool)).map(({ name }) => name));
  const other = parts.find(({ name, columns }) => columns !== null && !tables.has(name));
  if (other === undefined) return;
  throw new NotABackup(
    `The backup holds the table ${other.name}, which no release makes: take it out of the installation, or make it here.`,
  );
}

async function refuseUsed(pool: pg.Pool): Promise<void> {
  const { isDatabaseNew, followed } = await createPostgresFollowedLog(pool).load();
  if (!isDatabaseNew || followed !== null) throw notEmpty();
}

const notEmpty = () =>
  new Error(
    'The database (SVC_DATABASE_URL) is not empty: a backup is restored into a new one, and nothing was changed.',
  );

function refuseEventStoreDb({ SVC_EVENTSTORE_URL: url }: Config): void {
  if (url === undefined) return;
  throw new Error(
    'The log is in EventStoreDB (SVC_EVENTSTORE_URL), of which a backup is taken by its own means, after one of the ' +
      'database (docs/operations.md, Backup). `./tamga log copy --to postgres://…` keeps a copy of the log alone.',
  );
}

async function makeEmptyDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if ((await readdir(path)).length === 0) return;
  throw new Error(`${path} is not empty: a backup overwrites nothing. Name another directory.`);
}

async function withDatabase<Result>(
  config: Config,
  work: (pool: pg.Pool, masterKeys: GivenMasterKeys, databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl, masterKeys, closeDatabase } = await openDatabase(config);
  const pool = createPool({ url: databaseUrl, max: 4, applicationName: 'tamga maintenance' });
  try {
    return await work(pool, masterKeys, databaseUrl);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ECONNREFUSED') {
      throw new Unavailable('database', error);
    }
    throw error;
  } finally {
    await pool.end();
    await closeDatabase();
  }
}
