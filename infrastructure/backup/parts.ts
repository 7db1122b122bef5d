import { createHash, type KeyObject } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { decrypted, encrypted, NotOpened } from './age.ts';
import { type BackupPart, NotABackup } from './manifest.ts';

const fileName = (name: string) => `${name}.age`;

/** Encrypts a content into a file of a backup, and syncs it. @returns bytes and SHA-256 of the file */
export async function writePart(
  directory: string,
  name: string,
  content: AsyncIterable<Uint8Array>,
  recipients: readonly KeyObject[],
): Promise<Pick<BackupPart, 'bytes' | 'sha256'>> {
  const file = await open(join(directory, fileName(name)), 'wx', 0o600);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const piece of encrypted(content, recipients)) {
      hash.update(piece);
      bytes += piece.length;
      await file.writeFile(piece);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** @throws NotABackup when a file is missing, or is not the one that was written */
export async function verifyParts(directory: string, parts: readonly BackupPart[]): Promise<void> {
  for (const part of parts) {
    const pieces = verified(directory, part);
    while ((await pieces.next()).done !== true);
  }
}

/** Reads a file, and says at its end whether it is the one that was written: each time it is read. @throws NotABackup */
async function* verified(
  directory: string,
  { name, bytes, sha256 }: BackupPart,
): AsyncGenerator<Buffer> {
  const path = join(directory, fileName(name));
  const hash = createHash('sha256');
  let found = 0;
  try {
    for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
      hash.update(piece);
      found += piece.length;
      yield piece;
    }
  } catch (cause) {
    throw new NotABackup(`${path} cannot be read.`, { cause });
  }
  if (found === bytes && hash.digest('hex') === sha256) return;
  throw new NotABackup(
    found < bytes
      ? `${path} is truncated: it has ${found} of ${bytes} bytes.`
      : `${path} is not the file that was written: its SHA-256 is another one.`,
  );
}

/** The content of a file of a backup. @throws NotABackup when no identity opens it, or it was changed */
export async function* readPart(
  directory: string,
  part: BackupPart,
  identities: readonly KeyObject[],
): AsyncGenerator<Buffer> {
  try {
    yield* decrypted(verified(directory, part), identities);
  } catch (error) {
    if (error instanceof NotOpened) {
      throw new NotABackup(`${join(directory, fileName(part.name))} ${error.message}.`);
    }
    throw error;
  }
}
