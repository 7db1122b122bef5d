import { open, rename } from 'node:fs/promises';

/**
 * Writes a file that only its owner reads, and waits until the disk has it.
 *
 * @throws Error when it is there already
 */
export async function writeNewFile(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Replaces a file as a whole: after a crash there is the former one or this. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const next = `${path}.next`;
  const file = await open(next, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(next, path);
}
