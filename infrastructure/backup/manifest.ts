import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { deriveMasterKeys } from '../codec/encryption.ts';
import {
  type GivenMasterKeys,
  masterKeyMark,
  openDerivationKey,
} from '../codec/postgresMasterKeys.ts';
import type { BackupPlace } from './place.ts';

const manifest = z.strictObject({
  format: z.literal(2),
  /** ISO 8601. */
  madeAt: z.string(),
  /** Release that made it. */
  version: z.string(),
  /** Migrations of the database's schema. */
  schema: z.array(z.string()),
  installation: z.strictObject({
    installationId: z.string(),
    epoch: z.int(),
    wrappingKeyFingerprint: z.string(),
  }),
  /** Derivation key under each master key in use; absent while it is the master key itself. */
  derivationKeys: z
    .array(z.strictObject({ generation: z.int(), mark: z.string(), key: z.base64() }))
    .optional(),
  log: z.strictObject({
    events: z.int(),
    /** Position of the last event, decimal. */
    head: z.string().nullable(),
    /** Merkle tree root, base64. */
    root: z.string(),
  }),
  parts: z.array(
    z.strictObject({
      name: z.string().regex(/^[a-z_]+$/u),
      /** Rows of a table, or files. */
      entries: z.int(),
      /** Of a table; null: files. */
      columns: z.array(z.string()).nullable(),
      /** Ids of what it consists of, in this order. */
      pieces: z.array(z.string()),
    }),
  ),
  /** Objects of all parts, each once; those of earlier backups, too. */
  pieces: z.array(
    z.strictObject({
      /** Of the content, and whom it is for; nobody without the master key can tell it. */
      id: z.string(),
      /** Of the encrypted object, which is named by it. */
      bytes: z.int(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/u),
    }),
  ),
});

/** List of what a backup consists of; nothing in it is secret. */
export type BackupManifest = z.output<typeof manifest>;
export type BackupPart = BackupManifest['parts'][number];
export type BackupPiece = BackupManifest['pieces'][number];

const stored = z.strictObject({ manifest, mac: z.string() });

/** Keys that a manifest is proved with. */
export interface ManifestKeys {
  /** The present one first. */
  readonly masterKeys: GivenMasterKeys;
  /** The installation's, which signed all manifests of it; omitted where no database tells it. */
  readonly derivationKey?: Buffer;
}

/** A place without a whole backup of this installation; the message says why. */
export class NotABackup extends Error {
  override readonly name = 'NotABackup';
  /** True of one that another installation made. */
  readonly isOfOther: boolean;

  constructor(message: string, isOfOther = false) {
    super(message);
    this.isOfOther = isOfOther;
  }
}

/** Folder of the manifests in a place. */
export const MANIFESTS = 'backups/';

const nameOf = (id: string) => `${MANIFESTS}${id}.json`;

/** Id of a backup made at this time, ISO 8601; ids sort as the times do. */
export const backupId = (madeAt: string) => madeAt.replaceAll(':', '-');

/** Ids of the backups in a place, the oldest first. */
export async function backupsIn(place: BackupPlace): Promise<readonly string[]> {
  const names = (await place.list(MANIFESTS)).map(({ name }) => name);
  return names.map((name) => name.slice(MANIFESTS.length, -'.json'.length)).sort();
}

/** Writes the manifest, which makes the pieces beside it a backup. @param derivationKey of the installation */
export async function writeManifest(
  place: BackupPlace,
  content: BackupManifest,
  derivationKey: Buffer,
): Promise<void> {
  const text = JSON.stringify({ manifest: content, mac: macOf(content, derivationKey) }, null, 2);
  await place.put(nameOf(backupId(content.madeAt)), Buffer.from(`${text}\n`));
}

/**
 * Reads and proves the manifest.
 *
 * @throws NotABackup, also when another installation, or nobody with its master key, made it
 */
export async function readManifest(
  place: BackupPlace,
  id: string,
  keys: ManifestKeys,
): Promise<BackupManifest> {
  const path = `${place.address}/${nameOf(id)}`;
  const text = await place.get(nameOf(id));
  if (text === null) throw new NotABackup(`${path} does not exist.`);
  const read = stored.safeParse(jsonIn(text.toString('utf8')));
  if (!read.success) throw new NotABackup(`${path} is not a file that a backup writes.`);
  const { manifest: content, mac } = read.data;
  const { installation } = content;
  const key = derivationKeyOf(content, keys);
  if (key === null) {
    const fingerprint = content.derivationKeys?.at(-1)?.mark ?? installation.wrappingKeyFingerprint;
    throw new NotABackup(
      `The backup is of installation ${installation.installationId}, whose master key had the fingerprint ` +
        `${fingerprint}; here it is ${masterKeyMark(keys.masterKeys[0])}. Set SVC_SW_MASTER_KEY to the key of the installation, or SVC_SW_MASTER_KEY_PREVIOUS to the key at the time of the backup.`,
      true,
    );
  }
  const [expected, found] = [Buffer.from(macOf(content, key)), Buffer.from(mac)];
  if (expected.length !== found.length || !timingSafeEqual(expected, found)) {
    throw new NotABackup(`${path} was changed after the backup was made.`);
  }
  // A manifest under another name would be taken for a backup of another time.
  if (backupId(content.madeAt) !== id) throw new NotABackup(`${path} was renamed.`);
  return content;
}

/** Id of the newest backup in a place. @throws NotABackup when there is none */
export async function newestIn(place: BackupPlace): Promise<string> {
  const newest = (await backupsIn(place)).at(-1);
  if (newest !== undefined) return newest;
  throw new NotABackup(
    `${place.address} contains no manifest (${MANIFESTS}…): it contains no backup, or only one that was interrupted.`,
  );
}

/** Null: of another installation, or under another master key. */
function derivationKeyOf(
  { installation, derivationKeys }: BackupManifest,
  { masterKeys, derivationKey }: ManifestKeys,
): Buffer | null {
  const known = derivationKeys?.map((each) =>
    openDerivationKey(masterKeys, { ...each, key: Buffer.from(each.key, 'base64') }),
  );
  const isOurs = (key: Buffer | null) =>
    key !== null && masterKeyMark(key) === installation.wrappingKeyFingerprint;
  return [...(known ?? masterKeys), derivationKey ?? null].find(isOurs) ?? null;
}

function macOf(content: BackupManifest, derivationKey: Buffer): string {
  return createHmac('sha256', deriveMasterKeys(derivationKey).backups)
    .update(JSON.stringify(manifest.parse(content)))
    .digest('base64');
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
