import { readFile } from 'node:fs/promises';
import { backUp, manifestKeys, removeFrom } from '../composition/backup.ts';
import { openBackupPlace, readBackups, verifyBackups } from '../composition/backupPlaces.ts';
import type { BackupProgress } from '../composition/backupProgress.ts';
import { NoKey, recipientsIn } from '../../infrastructure/backup/ageKeys.ts';
import { type BackupManifest, backupId } from '../../infrastructure/backup/manifest.ts';
import { commandConfig } from './openService.ts';
import { say } from './say.ts';

export interface BackupOptions {
  readonly to: string;
  readonly recipient: readonly string[];
}

/** Interval of progress reports, ms. */
const PROGRESS_MS = 2000;

/** Runs `./tamga backup`. */
export async function backup({ to, recipient }: BackupOptions): Promise<void> {
  const recipients = await keysIn(recipient, recipientsIn);
  const { manifest, writtenBytes, damaged } = await backUp(
    commandConfig({ SVC_LOG_LEVEL: 'error' }),
    { to, recipients, onProgress: tellingParts() },
  );
  const { parts, log, madeAt } = manifest;
  say(
    `Backed up to ${to}: ${parts.length} parts, ${megabytes(sizeOf(manifest))}, of it ${megabytes(writtenBytes)} ` +
      `written and the rest there from before; it is ${backupId(madeAt)}. The log has ${log.events} events up to ` +
      `position ${log.head ?? 'none'}, Merkle root ${log.root}.`,
  );
  for (const { message } of damaged) say(`An earlier backup in that place is damaged: ${message}`);
}

/** Runs `./tamga backup list`. */
export async function listBackups(address: string): Promise<void> {
  const config = commandConfig({ SVC_LOG_LEVEL: 'error' });
  const place = openBackupPlace(config, address);
  const { manifests, damaged } = await readBackups(place, await manifestKeys(config));
  for (const manifest of manifests) {
    const { madeAt, version, log } = manifest;
    say(
      `${backupId(madeAt)}  release ${version}, ${log.events} events, ${megabytes(sizeOf(manifest))}`,
    );
  }
  for (const { message } of damaged) say(message);
  if (manifests.length + damaged.length === 0) say(`${address} contains no backup.`);
}

/** Runs `./tamga backup verify`. @returns 1: something there is not as it was written, or there is nothing */
export async function verify(address: string): Promise<0 | 1> {
  const config = commandConfig({ SVC_LOG_LEVEL: 'error' });
  const place = openBackupPlace(config, address);
  const { backups, pieces, faults } = await verifyBackups(
    place,
    await manifestKeys(config),
    tellingParts(),
  );
  for (const fault of faults) say(fault);
  if (faults.length === 0 && backups === 0) say(`${address} contains no backup.`);
  else say(`Read ${backups} backups with ${pieces} pieces: ${faults.length} faults.`);
  return faults.length > 0 || backups === 0 ? 1 : 0;
}

/** Runs `./tamga backup remove`. */
export async function remove(address: string, id: string): Promise<void> {
  const bytes = await removeFrom(commandConfig({ SVC_LOG_LEVEL: 'error' }), address, id);
  say(`Removed ${id} and ${megabytes(bytes)} that no other backup uses.`);
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

const sizeOf = ({ pieces }: BackupManifest) => pieces.reduce((sum, { bytes }) => sum + bytes, 0);

/** Keys in files. @throws Error that names the file */
export async function keysIn<Key>(
  paths: readonly string[],
  read: (text: string) => readonly Key[],
): Promise<readonly Key[]> {
  const keys: Key[] = [];
  for (const path of paths) {
    const text = await readFile(path, 'utf8');
    try {
      keys.push(...read(text));
    } catch (error) {
      if (error instanceof NoKey) throw new Error(`${path}: ${error.message}.`, { cause: error });
      throw error;
    }
  }
  return keys;
}

/** Tells on standard error what is written or read, how much so far and of the whole, every two seconds. */
export function tellingParts(): (soFar: BackupProgress) => void {
  let toldAt = performance.now();
  return ({ part, entries, bytes, share }) => {
    if (performance.now() < toldAt + PROGRESS_MS) return;
    toldAt = performance.now();
    const percent = share === null ? '' : `, about ${Math.floor(100 * share)} %`;
    process.stderr.write(`${part}: ${entries}; ${megabytes(bytes)} so far${percent} …\n`);
  };
}
