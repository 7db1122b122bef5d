import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EmbeddedServer, startEmbeddedPostgres } from '../postgres/embedded.ts';

// Resources that the development profile creates and production must be given.

/** The master key stored in `dataDir`, created on first use; readable by the owner alone. */
export async function developmentMasterKey(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, 'master.key');
  await mkdir(dataDir, { recursive: true });
  if (!existsSync(path)) {
    // `wx`: when two processes start at once, the first one's key stays.
    await writeFile(path, randomBytes(32).toString('base64'), { mode: 0o600, flag: 'wx' }).catch(
      () => undefined,
    );
  }
  return Buffer.from(await readFile(path, 'utf8'), 'base64');
}

/** The embedded PostgreSQL on `dataDir`. */
export function developmentDatabase(dataDir: string): Promise<EmbeddedServer> {
  return startEmbeddedPostgres({
    dataDir: join(dataDir, 'postgres'),
    flags: ['-c', 'max_connections=200', '-c', 'shared_buffers=256MB'],
  });
}
