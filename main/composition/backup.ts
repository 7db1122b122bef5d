import type { KeyObject } from 'node:crypto';
import type pg from 'pg';
import { Misconfigured, Unavailable } from '../../application/ports/faults.ts';
import { createLogHash, type LogExtent } from '../../infrastructure/backup/copiedEvents.ts';
import {
  type BackupManifest,
  type BackupPart,
  type BackupPiece,
  type ManifestKeys,
  newestIn,
  NotABackup,
  readManifest,
  writeManifest,
} from '../../infrastructure/backup/manifest.ts';
import { packedFiles, unpackFiles } from '../../infrastructure/backup/packedFiles.ts';
import { createPieceWriter, readPieces, verifyPieces } from '../../infrastructure/backup/pieces.ts';
import type { BackupPlace } from '../../infrastructure/backup/place.ts';
import { deriveMasterKeys } from '../../infrastructure/codec/encryption.ts';
import {
  type GivenMasterKeys,
  readMasterKeys,
  type WrappedDerivationKey,
} from '../../infrastructure/codec/postgresMasterKeys.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { createAdvisoryLock } from '../../infrastructure/postgres/advisoryLock.ts';
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
  expectedRows,
  LOG_TABLE,
  makeRoom,
  readSnapshot,
  schemaOf,
  writeTable,
} from '../../infrastructure/postgres/tableCopies.ts';
import { programVersion } from '../../infrastructure/version.ts';
import {
  expectComplete,
  expectOnlyBackups,
  openBackupPlace,
  piecesThere,
  readBackups,
  removeBackup,
} from './backupPlaces.ts';
import {
  type BackupProgress,
  counting,
  createProgress,
  measured,
  verifying,
} from './backupProgress.ts';
import { givenMasterKeys, openDatabase } from './stores.ts';
import { archiveUse, fileStoreUse, objectDirectory } from './objectStores.ts';

export interface BackupRequest {
  /** A directory, or `s3://bucket/prefix`: empty, or with earlier backups of this installation. */
  readonly to: string;
  readonly recipients: readonly KeyObject[];
  readonly onProgress: (soFar: BackupProgress) => void;
}

export interface RestoreRequest {
  readonly from: string;
  /** Id of one of the backups there; default: the newest. */
  readonly backup?: string;
  readonly identities: readonly KeyObject[];
  readonly onProgress: (soFar: BackupProgress) => void;
}

/** A backup that was made. */
export interface MadeBackup {
  readonly manifest: BackupManifest;
  /** Bytes of pieces that were not there. */
  readonly writtenBytes: number;
  /** Earlier manifests there that cannot be relied on, and why. */
  readonly damaged: readonly NotABackup[];
}

/** Lock on the backups of an installation: shared by those that are made, held alone by what removes one. */
const BACKUPS = 'backups';

/** Stores of files that a backup holds where they are directories of this machine. */
const stores = { files: fileStoreUse, archive: archiveUse } as const;
const isStore = (name: string): name is keyof typeof stores => name in stores;

/**
 * Writes a backup of the database, log and keys in it included, as of one moment, and of the files beside it, while the
 * service runs. What earlier backups in the place wrote is not written again.
 *
 * @throws Error when the place holds other things, the log is in EventStoreDB, or the database holds no installation
 * @throws NotABackup when the place holds backups of another installation
 * @throws Unavailable(database), Unavailable(backup)
 */
export async function backUp(config: Config, request: BackupRequest): Promise<MadeBackup> {
  const { to, recipients, onProgress } = request;
  refuseEventStoreDb(config);
  const place = openBackupPlace(config, to);
  await expectOnlyBackups(place);
  return withDatabase(config, (pool, masterKeys) => {
    const whileNoneIsRemoved = createAdvisoryLock(pool, undefined, 'shared');
    return whileNoneIsRemoved(BACKUPS, () =>
      writeBackup(config, { place, recipients, onProgress }, pool, masterKeys),
    );
  });
}

async function writeBackup(
  config: Config,
  { place, recipients, onProgress }: Omit<BackupRequest, 'to'> & { readonly place: BackupPlace },
  pool: pg.Pool,
  masterKeys: GivenMasterKeys,
): Promise<MadeBackup> {
  const { followed } = await createPostgresFollowedLog(pool).load();
  if (followed === null) {
    throw new Error('The database (SVC_DATABASE_URL) holds no installation: nothing to back up.');
  }
  const { derivationKey, wrapped } = await readMasterKeys(pool, masterKeys);
  const { manifests, damaged } = await readBackups(place, { masterKeys, derivationKey });
  const known = await piecesThere(place, manifests);
  const key = deriveMasterKeys(derivationKey).backups;
  const writer = createPieceWriter({ place, key, recipients, known });
  const madeAt = new Date().toISOString();
  const log = createLogHash();
  const parts: BackupPart[] = [];
  const told = createProgress(await expectedRows(pool), onProgress);

  async function add(
    part: string,
    columns: readonly string[] | null,
    contentOf: (onEntries: (count: number) => void) => AsyncIterable<Uint8Array>,
  ) {
    const content = contentOf((count) => told.entries(part, count));
    const pieces = await writer.write(measured(content, (count) => told.bytes(part, count)));
    const entries = told.ended(part);
    parts.push({ name: part, entries, columns: columns && [...columns], pieces: [...pieces] });
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
    format: 2,
    madeAt,
    version: programVersion(),
    schema: [...schema],
    installation: followed,
    ...(isRotated(wrapped) && { derivationKeys: wrapped.map(asText) }),
    log: written(log.extent()),
    parts,
    pieces: [...writer.pieces()],
  };
  await expectComplete(place, manifest.pieces);
  await writeManifest(place, manifest, derivationKey);
  await noteDone(createDatabase<unknown>(pool), 'backup', new Date(madeAt));
  return { manifest, writtenBytes: writer.writtenBytes(), damaged };
}

/**
 * Keys that prove manifests: given master keys, and the derivation key where the database holds their installation. A
 * manifest of before a rotation is proved by that alone.
 */
export async function manifestKeys(config: Config): Promise<ManifestKeys> {
  const masterKeys = await givenMasterKeys(config);
  try {
    return await withDatabase(config, (pool) => keysIn(pool, masterKeys));
  } catch (error) {
    // Backups are looked through where the database is lost as well.
    if (error instanceof Unavailable || codeOf(error) === NO_DATABASE) return { masterKeys };
    throw error;
  }
}

/** SQLSTATE of a database that does not exist. */
const NO_DATABASE = '3D000';

const codeOf = (error: unknown) => (error as { readonly code?: unknown }).code;

async function keysIn(pool: pg.Pool, masterKeys: GivenMasterKeys): Promise<ManifestKeys> {
  try {
    const { derivationKey } = await readMasterKeys(pool, masterKeys);
    return { masterKeys, derivationKey };
  } catch (error) {
    // Another installation's database, or one that was lost and begun anew.
    if (error instanceof Misconfigured) return { masterKeys };
    throw error;
  }
}

/** Former releases know no other member than before the first rotation. */
const isRotated = (wrapped: readonly WrappedDerivationKey[]) =>
  wrapped.some(({ generation }) => generation > 0);

const asText = ({ key, ...rest }: WrappedDerivationKey) => ({
  ...rest,
  key: key.toString('base64'),
});

/**
 * Removes a backup from a place while none is made, as that one may consist of pieces that would go.
 *
 * @returns bytes removed
 * @throws Error while a backup is made, and as {@link removeBackup}
 */
export async function removeFrom(config: Config, address: string, id: string): Promise<number> {
  const place = openBackupPlace(config, address);
  return withDatabase(config, (pool, masterKeys) =>
    createAdvisoryLock(pool, beingMade)(BACKUPS, async () =>
      removeBackup(place, id, await keysIn(pool, masterKeys)),
    ),
  );
}

const beingMade = () =>
  new Error('Another command is making or removing a backup. Wait until it ends, then try again.');

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
  { from, backup, identities, onProgress }: RestoreRequest,
  release: KnownSchema = thisRelease,
): Promise<BackupManifest> {
  refuseEventStoreDb(config);
  const place = openBackupPlace(config, from);
  return withDatabase(config, async (pool, masterKeys, databaseUrl) => {
    const id = backup ?? (await newestIn(place));
    const manifest = await readManifest(place, id, { masterKeys });
    const { parts } = manifest;
    await verifyPieces(place, manifest.pieces, verifying(manifest.pieces, onProgress));
    const told = createProgress(entriesOf(parts), onProgress);
    const read = ({ name, pieces }: BackupPart) =>
      measured(readPieces(place, piecesOf(manifest, pieces), identities), (count) =>
        told.bytes(name, count),
      );
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
      await writeTables(client, manifest, read, told.entries);
      for (const part of files) {
        await unpackFiles(directories.get(part.name) ?? '', read(part), (count) =>
          told.entries(part.name, count),
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
  onRows: (part: string, count: number) => void,
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
    const rows = counting(read(part), (count) => onRows(name, count));
    await writeTable(client, { name, columns }, name === LOG_TABLE.name ? log.through(rows) : rows);
  }
  await continueNumbers(client);
  const found = written(log.extent());
  if (found.root === expected.root && found.head === expected.head) return;
  throw new NotABackup(
    `The log of the backup is not the one that its manifest describes: its Merkle root is ${found.root} over ${found.events} events, ` +
      `in the manifest ${expected.root} over ${expected.events}.`,
  );
}

function piecesOf({ pieces }: BackupManifest, ids: readonly string[]): readonly BackupPiece[] {
  const known = new Map(pieces.map((piece) => [piece.id, piece]));
  return ids.map((id) => {
    const piece = known.get(id);
    if (piece === undefined) throw new NotABackup(`The manifest does not list the piece ${id}.`);
    return piece;
  });
}

const entriesOf = (parts: readonly BackupPart[]) =>
  parts.reduce((sum, { entries }) => sum + entries, 0);

const rank = (name: string) => (name === LOG_TABLE.name ? 1 : 0);

const written = ({ events, head, root }: LogExtent): BackupManifest['log'] => ({
  events,
  head: head?.toString() ?? null,
  root,
});

function directoryFor(config: Config, name: string): string {
  const directory = isStore(name) ? objectDirectory(config, stores[name]) : null;
  if (directory !== null) return directory;
  throw new Error(
    name === 'files'
      ? 'The backup contains files of documents. Set SVC_FILE_STORE_DIR to the directory to restore them to.'
      : 'The backup contains an archive. Set SVC_ARCHIVE_DIR to the directory to restore it to.',
  );
}

function refuseUnknown({ schema, version }: BackupManifest, { migrations }: KnownSchema): void {
  const unknown = schema.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length === 0) return;
  throw new NotABackup(
    `The backup was made by release ${version} from a database with migrations that this release ` +
      `(${programVersion()}) does not know: ${unknown.join(', ')}. Restore it with release ${version}. If an upgrade was ` +
      'rolled back before the backup, restore it with the newer release that added them.',
  );
}

async function refuseOther(pool: pg.Pool, { parts }: BackupManifest): Promise<void> {
  const tables = new Set((await copiedTables(pool)).map(({ name }) => name));
  const other = parts.find(({ name, columns }) => columns !== null && !tables.has(name));
  if (other === undefined) return;
  throw new NotABackup(
    `The backup contains the table ${other.name}, which no release creates. Remove it from the installation, or create it here.`,
  );
}

async function refuseUsed(pool: pg.Pool): Promise<void> {
  const { isDatabaseNew, followed } = await createPostgresFollowedLog(pool).load();
  if (!isDatabaseNew || followed !== null) throw notEmpty();
}

const notEmpty = () =>
  new Error(
    'The database (SVC_DATABASE_URL) is not empty. Restore the backup into a new database. Nothing was changed.',
  );

function refuseEventStoreDb({ SVC_EVENTSTORE_URL: url }: Config): void {
  if (url === undefined) return;
  throw new Error(
    'The log is in EventStoreDB (SVC_EVENTSTORE_URL). Back it up with the tools of EventStoreDB, after you back up the ' +
      'database (docs/operations.md, Backup). `./tamga log copy --to postgres://…` copies the log alone.',
  );
}

async function withDatabase<Result>(
  config: Config,
  work: (pool: pg.Pool, masterKeys: GivenMasterKeys, databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl, masterKeys, closeDatabase } = await openDatabase(config);
  const pool = createPool({ url: databaseUrl, max: 5, applicationName: 'tamga maintenance' });
  try {
    return await work(pool, masterKeys, databaseUrl);
  } catch (error) {
    if (codeOf(error) === 'ECONNREFUSED') {
      throw new Unavailable('database', error);
    }
    throw error;
  } finally {
    await pool.end();
    await closeDatabase();
  }
}
