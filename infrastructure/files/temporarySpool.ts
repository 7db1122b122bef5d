import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Overloaded, Unavailable } from '../../application/ports/faults.ts';
import {
  type FileSpool,
  FileTooLarge,
  type SpooledFile,
} from '../../application/document/ports/fileStore.ts';

const HEAD_BYTES = 1024;
const PIECE_BYTES = 64 * 1024;

/** A key in memory alone: what the disk keeps of a freed file cannot be read. */
interface EphemeralKey {
  readonly key: Buffer;
  readonly iv: Buffer;
}

const CIPHER = 'aes-256-ctr';

/**
 * Unlinked files in the system's temporary directory: the system frees them when the process ends, however it ends. They
 * are encrypted, each under a key of its own that is kept nowhere.
 *
 * @param mostFiles open at once; beyond it Overloaded
 */
export function createTemporarySpool({
  mostFiles = 64,
}: { readonly mostFiles?: number } = {}): FileSpool {
  let taken = 0;
  return {
    async take(source, limitBytes) {
      if (taken >= mostFiles) throw new Overloaded('files');
      taken += 1;
      let file: FileHandle | undefined;
      const free = async () => {
        taken -= 1;
        await file?.close();
      };
      try {
        file = await openUnnamed();
        const key = { key: randomBytes(32), iv: randomBytes(16) };
        const known = await fill({ file, ...key }, source, limitBytes);
        return spooled({ file, ...key }, known, free);
      } catch (error) {
        await free();
        throw error;
      }
    },
  };
}

async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `tamga-${randomUUID()}`);
  try {
    const file = await open(path, 'wx+', 0o600);
    await rm(path);
    return file;
  } catch (error) {
    throw new Unavailable('fileStore', error);
  }
}

async function fill(
  { file, key, iv }: EphemeralKey & { readonly file: FileHandle },
  source: AsyncIterable<Uint8Array>,
  limitBytes: number,
) {
  const cipher = createCipheriv(CIPHER, key, iv);
  const hash = createHash('sha256');
  let head = Buffer.alloc(0);
  let sizeBytes = 0;
  for await (const piece of source) {
    sizeBytes += piece.length;
    if (sizeBytes > limitBytes) throw new FileTooLarge(limitBytes);
    hash.update(piece);
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, piece]).subarray(0, HEAD_BYTES);
    await file.writeFile(cipher.update(piece)).catch((error: unknown) => {
      throw new Unavailable('fileStore', error);
    });
  }
  return { sizeBytes, head, sha256: hash.digest('hex') };
}

function spooled(
  { file, key, iv }: EphemeralKey & { readonly file: FileHandle },
  known: Pick<SpooledFile, 'sizeBytes' | 'head' | 'sha256'>,
  free: () => Promise<void>,
): SpooledFile {
  let isDiscarded = false;
  return {
    ...known,
    async *read() {
      const decipher = createDecipheriv(CIPHER, key, iv);
      for (let position = 0; position < known.sizeBytes;) {
        const length = Math.min(PIECE_BYTES, known.sizeBytes - position);
        const { bytesRead, buffer } = await file.read(
          Buffer.allocUnsafe(length),
          0,
          length,
          position,
        );
        if (bytesRead === 0) throw new Error('The spooled file was truncated.');
        position += bytesRead;
        yield decipher.update(buffer.subarray(0, bytesRead));
      }
    },
    async discard() {
      if (isDiscarded) return;
      isDiscarded = true;
      await free();
    },
  };
}
