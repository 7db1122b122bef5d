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
import type { OutsideAccess } from '../outside/access.ts';

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
 * @param access bounds the calls to the file system
 * @param mostFiles open at once; beyond it Overloaded
 */
export function createTemporarySpool({
  access,
  mostFiles = 64,
}: {
  readonly access: OutsideAccess;
  readonly mostFiles?: number;
}): FileSpool {
  let taken = 0;
  return {
    async take(source, limitBytes) {
      if (taken >= mostFiles) throw new Overloaded('files');
      taken += 1;
      let file: FileHandle | undefined;
      const free = () => {
        taken -= 1;
        access.later(async () => file?.close());
      };
      try {
        file = await access.run(openUnnamed, (late) => access.later(() => late.close()));
        const key = { key: randomBytes(32), iv: randomBytes(16) };
        const known = await fill({ access, file, ...key }, source, limitBytes);
        return spooled({ access, file, ...key }, known, free);
      } catch (error) {
        free();
        throw error;
      }
    },
  };
}

/** An open file and its key. */
interface OpenFile extends EphemeralKey {
  readonly access: OutsideAccess;
  readonly file: FileHandle;
}

async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `tamga-${randomUUID()}`);
  try {
    const file = await open(path, 'wx+', 0o600);
    await rm(path);
    return file;
  } catch (error) {
    throw new Unavailable('temporaryFiles', error);
  }
}

async function fill(
  { access, file, key, iv }: OpenFile,
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
    const encrypted = cipher.update(piece);
    await access.run(() =>
      file.writeFile(encrypted).catch((error: unknown) => {
        throw new Unavailable('temporaryFiles', error);
      }),
    );
  }
  return { sizeBytes, head, sha256: hash.digest('hex') };
}

function spooled(
  { access, file, key, iv }: OpenFile,
  known: Pick<SpooledFile, 'sizeBytes' | 'head' | 'sha256'>,
  free: () => void,
): SpooledFile {
  let isDiscarded = false;
  return {
    ...known,
    async *read() {
      const decipher = createDecipheriv(CIPHER, key, iv);
      for (let position = 0; position < known.sizeBytes;) {
        const length = Math.min(PIECE_BYTES, known.sizeBytes - position);
        const at = position;
        const { bytesRead, buffer } = await access.run(() =>
          file.read(Buffer.allocUnsafe(length), 0, length, at),
        );
        if (bytesRead === 0) throw new Error('The spooled file was truncated.');
        position += bytesRead;
        yield decipher.update(buffer.subarray(0, bytesRead));
      }
    },
    discard() {
      if (!isDiscarded) free();
      isDiscarded = true;
      return Promise.resolve();
    },
  };
}
