import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { deriveMasterKeys } from '../codec/encryption.ts';
import {
  type GivenMasterKeys,
  masterKeyMark,
  openDerivationKey,
} from '../codec/postgresMasterKeys.ts';

const manifest = z.strictObject({
  format: z.literal(1),
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
      /** Of the encrypted file. */
      bytes: z.int(),
      sha256: z.string(),
      /** Of a table; null: files. */
      columns: z.array(z.string()).nullable(),
    }),
  ),
});

/** List of what a backup consists of; nothing in it is secret. */
export type BackupManifest = z.output<typeof manifest>;
export type BackupPart = BackupManifest['parts'][number];

const stored = z.strictObject({ manifest, mac: z.string() });

/** A directory that is no whole backup of this installation; the message says why. */
export class NotABackup extends Error {
  override readonly name = 'NotABackup';
}

const NAME = 'manifest.json';

/** Writes the manifest, which makes the parts beside it a backup. @param derivationKey of the installation */
export async function writeManifest(
  directory: string,
  content: BackupManifest,
  derivationKey: Buffer,
): Promise<void> {
  const path = join(directory, NAME);
  const text = JSON.stringify({ manifest: content, mac: macOf(content, derivationKey) }, null, 2);
  await writeFile(`${path}.part`, `${text}\n`, { mode: 0o600, flush: true });
  await rename(`${path}.part`, path);
}

/**
 * Reads and proves the manifest.
 *
 * @param masterKeys the present one first
 * @throws NotABackup, also when another installation, or nobody with its master key, made it
 */
export async function readManifest(
  directory: string,
  masterKeys: GivenMasterKeys,
): Promise<BackupManifest> {
  const text = await readFile(join(directory, NAME), 'utf8').catch((cause: unknown) => {
    throw new NotABackup(
      `${directory} holds no ${NAME}: it is no backup, or one that did not come to its end.`,
      { cause },
    );
  });
  const read = stored.safeParse(jsonIn(text));
  if (!read.success) throw new NotABackup(`${join(directory, NAME)} is not what a backup writes.`);
  const { manifest: content, mac } = read.data;
  const { installation } = content;
  const key = derivationKeyOf(content, masterKeys);
  if (key === null) {
    const fingerprint = content.derivationKeys?.at(-1)?.mark ?? installation.wrappingKeyFingerprint;
    throw new NotABackup(
      `The backup is of installation ${installation.installationId}, whose master key had the fingerprint ` +
        `${fingerprint}; here it is ${masterKeyMark(masterKeys[0])}. Set SVC_SW_MASTER_KEY to the installation's, or that of the time of the backup as SVC_SW_MASTER_KEY_PREVIOUS.`,
    );
  }
  const [expected, found] = [Buffer.from(macOf(content, key)), Buffer.from(mac)];
  if (expected.length !== found.length || !timingSafeEqual(expected, found)) {
    throw new NotABackup(`${join(directory, NAME)} was changed after the backup was made.`);
  }
  return content;
}

/** Null: of another installation, or under another master key. */
function derivationKeyOf(
  { installation, derivationKeys }: BackupManifest,
  masterKeys: GivenMasterKeys,
): Buffer | null {
  const known = derivationKeys?.map((each) =>
    openDerivationKey(masterKeys, { ...each, key: Buffer.from(each.key, 'base64') }),
  );
  const isOurs = (key: Buffer | null) =>
    key !== null && masterKeyMark(key) === installation.wrappingKeyFingerprint;
  return (known ?? masterKeys).find(isOurs) ?? null;
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
