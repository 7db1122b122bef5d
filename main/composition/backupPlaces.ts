import {
  type BackupManifest,
  backupId,
  type BackupPiece,
  backupsIn,
  type ManifestKeys,
  MANIFESTS,
  NotABackup,
  readManifest,
} from '../../infrastructure/backup/manifest.ts';
import { pieceName, PIECES, verifyPieces } from '../../infrastructure/backup/pieces.ts';
import {
  type BackupPlace,
  createDirectoryPlace,
  createS3Place,
} from '../../infrastructure/backup/place.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { type BackupProgress, verifying } from './backupProgress.ts';

/** `s3://bucket/prefix`, in characters that need no encoding. */
const BUCKET = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[\w.-]+)*)\/?$/u;

/** Time for an object of some megabytes, ms. */
const OBJECT_MS = 5 * 60_000;

/** @param address a directory, or `s3://bucket/prefix` */
export function openBackupPlace(config: Config, address: string): BackupPlace {
  if (!address.startsWith('s3://')) return createDirectoryPlace(address);
  const [whole, bucket = '', path = ''] = BUCKET.exec(address) ?? [];
  if (whole === undefined) {
    throw new Error(`${address} does not name a bucket. Write it as s3://bucket/prefix.`);
  }
  const {
    SVC_BACKUP_S3_URL: url,
    SVC_BACKUP_S3_REGION: region,
    SVC_BACKUP_S3_KEY_ID: accessKeyId,
    SVC_BACKUP_S3_SECRET: secretAccessKey,
  } = config;
  if (url === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    throw new Error(
      `${address} needs SVC_BACKUP_S3_URL, SVC_BACKUP_S3_KEY_ID and SVC_BACKUP_S3_SECRET.`,
    );
  }
  return createS3Place(address.replace(/\/$/u, ''), {
    bucketUrl: `${url.replace(/\/$/u, '')}/${bucket}`,
    prefix: path === '' ? '' : `${path.slice(1)}/`,
    region,
    accessKeyId,
    secretAccessKey,
    timeoutMs: OBJECT_MS,
  });
}

/** Backups of a place as they were found. */
export interface VerifiedBackups {
  readonly backups: number;
  readonly pieces: number;
  /** Names what is not as it was written, and the backups that consist of it. */
  readonly faults: readonly string[];
}

/**
 * Reads every piece of the backups of a place, each once, as a later backup refers to what is there without reading it.
 *
 * @throws NotABackup for one of another installation
 */
export async function verifyBackups(
  place: BackupPlace,
  keys: ManifestKeys,
  onProgress: (soFar: BackupProgress) => void,
): Promise<VerifiedBackups> {
  const { manifests, damaged } = await readBackups(place, keys);
  const pieces = [
    ...new Map(manifests.flatMap((each) => each.pieces.map((piece) => [pieceName(piece), piece]))),
  ];
  const count = verifying(
    pieces.map(([, piece]) => piece),
    onProgress,
  );
  const faults = damaged.map(({ message }) => message);
  for (const [name, piece] of pieces) {
    try {
      await verifyPieces(place, [piece], count);
    } catch (error) {
      if (!(error instanceof NotABackup)) throw error;
      const of = manifests.filter((each) => each.pieces.some((one) => pieceName(one) === name));
      const ids = of.map(({ madeAt }) => backupId(madeAt)).join(', ');
      faults.push(`${error.message} Backups that use it: ${ids}.`);
    }
  }
  return { backups: manifests.length, pieces: pieces.length, faults };
}

/** Backups of a place. */
export interface FoundBackups {
  /** The oldest first. */
  readonly manifests: readonly BackupManifest[];
  /** Manifests that cannot be relied on, and why. */
  readonly damaged: readonly NotABackup[];
}

/** Reads all manifests of a place. @throws NotABackup for one of another installation */
export async function readBackups(place: BackupPlace, keys: ManifestKeys): Promise<FoundBackups> {
  const manifests: BackupManifest[] = [];
  const damaged: NotABackup[] = [];
  for (const id of await backupsIn(place)) {
    try {
      manifests.push(await readManifest(place, id, keys));
    } catch (error) {
      if (!(error instanceof NotABackup) || error.isOfOther) throw error;
      damaged.push(error);
    }
  }
  return { manifests, damaged };
}

/** Requires a place that holds backups and nothing else. @throws Error */
export async function expectOnlyBackups(place: BackupPlace): Promise<void> {
  const other = (await place.list('')).find(
    ({ name }) => !name.startsWith(MANIFESTS) && !name.startsWith(PIECES),
  );
  if (other === undefined) return;
  throw new Error(
    `${place.address} contains ${other.name}, which belongs to no backup. Name another place.`,
  );
}

/** Pieces of these backups that are there as they were written, as far as their lengths tell, by id. */
export async function piecesThere(
  place: BackupPlace,
  manifests: readonly BackupManifest[],
): Promise<ReadonlyMap<string, BackupPiece>> {
  const lengths = await lengthsOf(place);
  const pieces = manifests.flatMap((manifest) => manifest.pieces);
  return new Map(
    pieces
      .filter((piece) => lengths.get(pieceName(piece)) === piece.bytes)
      .map((piece) => [piece.id, piece]),
  );
}

async function lengthsOf(place: BackupPlace): Promise<ReadonlyMap<string, number>> {
  return new Map((await place.list(PIECES)).map(({ name, bytes }) => [name, bytes]));
}

/** Requires every piece of a backup. @throws Error when one was removed while the backup ran */
export async function expectComplete(
  place: BackupPlace,
  pieces: readonly BackupPiece[],
): Promise<void> {
  const lengths = await lengthsOf(place);
  const gone = pieces.find((piece) => lengths.get(pieceName(piece)) !== piece.bytes);
  if (gone === undefined) return;
  throw new Error(
    `${place.address}/${pieceName(gone)} was removed while the backup ran. Run it again.`,
  );
}

/**
 * Removes a backup, and what no other one consists of; what an interrupted backup left, too.
 *
 * @returns bytes removed
 * @throws Error when there is none of this id, or another one cannot be read, which might need what would be removed
 */
export async function removeBackup(
  place: BackupPlace,
  id: string,
  keys: ManifestKeys,
): Promise<number> {
  const { manifests, damaged } = await readBackups(place, keys);
  const [fault] = damaged;
  if (fault !== undefined) {
    throw new Error(
      `Nothing was removed: while one backup cannot be read, it is not known what the other backups need. ${fault.message}`,
    );
  }
  const kept = manifests.filter(({ madeAt }) => backupId(madeAt) !== id);
  if (kept.length === manifests.length) {
    throw new Error(
      `${place.address} contains no backup ${id}. Run ./tamga backup list to see the backups.`,
    );
  }
  const needed = new Set(kept.flatMap(({ pieces }) => pieces.map(pieceName)));
  // First the manifest: interrupted, what is left belongs to nothing and goes with the next one.
  await place.remove(`${MANIFESTS}${id}.json`);
  let removed = 0;
  for (const { name, bytes } of await place.list(PIECES)) {
    if (needed.has(name)) continue;
    await place.remove(name);
    removed += bytes;
  }
  return removed;
}
