import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A temporary directory to keep a PostgreSQL server's data in. Everybody may walk into it: the server's own user must,
 * or its data would be kept elsewhere and stay when the directory is removed.
 */
export async function serverDirectory(purpose: string, inside = tmpdir()): Promise<string> {
  const directory = await mkdtemp(join(inside, `tamga-${purpose}-`));
  await chmod(directory, 0o755);
  return directory;
}
