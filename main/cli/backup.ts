import { readFile } from 'node:fs/promises';
import { backUp, type BackupProgress } from '../composition/backup.ts';
import { NoKey, recipientsIn } from '../../infrastructure/backup/ageKeys.ts';
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
  const { parts, log } = await backUp(commandConfig({ SVC_LOG_LEVEL: 'error' }), {
    to,
    recipients,
    onProgress: tellingParts(),
  });
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  say(
    `Backed up to ${to}: ${parts.length} parts, ${(bytes / 1e6).toFixed(1)} MB. The log has ${log.events} events up to ` +
      `position ${log.head ?? 'none'}, Merkle root ${log.root}.`,
  );
}

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

/** Tells on standard error which part is written or read, every two seconds. */
export function tellingParts(): (soFar: BackupProgress) => void {
  let toldAt = performance.now();
  return ({ part, entries }) => {
    if (performance.now() < toldAt + PROGRESS_MS) return;
    toldAt = performance.now();
    process.stderr.write(`${part}: ${entries} …\n`);
  };
}
