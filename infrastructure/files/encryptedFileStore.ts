import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
} from 'node:crypto';
import {
  FileErased,
  type FileStore,
  keyOfDocument,
} from '../../application/document/ports/fileStore.ts';
import type { FileContent } from '../../application/ports/objectStore.ts';
import {
  type PersonalDataVault,
  SubjectForgotten,
} from '../../application/ports/personalDataVault.ts';
import { newDataKey } from '../codec/encryption.ts';
import { expectFileId } from './fileId.ts';

/** First bytes of a encrypted file. */
const MAGIC = Buffer.from('\0tamga sealed file 1\n', 'latin1');
const PIECE_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

export interface EncryptedFileStoreOptions {
  readonly store: FileStore;
  readonly vault: Pick<PersonalDataVault, 'encrypt' | 'decrypt' | 'isForgotten'>;
}

/**
 * Files encrypted with a key of their own (AES-256-GCM), which is stored in the file's header, encrypted under the key of the
 * document: destroying the document's key makes every copy of its files unreadable.
 *
 * The file is `MAGIC`, the length of the encrypted key (2 bytes), the encrypted key, then pieces of 64 KiB, each with its
 * tag; the last one is shorter, and may be empty. Nonces number the pieces and mark the last one, so that none can be
 * omitted, moved or truncated; the id of the file is associated data of each.
 */
export function createEncryptedFileStore({ store, vault }: EncryptedFileStoreOptions): FileStore {
  async function newEncryption(fileId: string, documentId: string): Promise<Encryption> {
    const key = newDataKey();
    const encrypted = await vault
      .encrypt(keyOfDocument(documentId), key.toString('base64'))
      .catch((error: unknown) => {
        throw error instanceof SubjectForgotten ? new FileErased() : error;
      });
    const length = Buffer.alloc(2);
    length.writeUInt16BE(encrypted.length);
    const head = Buffer.concat([MAGIC, length, Buffer.from(encrypted, 'latin1')]);
    return { head, key: createSecretKey(key), fileId };
  }

  async function put(
    fileId: string,
    content: Pick<FileContent, 'read'>,
    documentId: string,
  ): Promise<void> {
    const encryption = await newEncryption(fileId, documentId);
    const sha256 = createHash('sha256');
    let sizeBytes = 0;
    // Encrypted twice with the same key: a store may want the digest beforehand. The content is the same each time.
    const read = () => encrypt(encryption, content.read());
    for await (const piece of read()) {
      sha256.update(piece);
      sizeBytes += piece.length;
    }
    await store.put(fileId, { sizeBytes, sha256: sha256.digest('hex'), read }, documentId);
  }

  /** A stored file without its header. @throws Error for one that is not encrypted: nobody of this platform stored it */
  async function open(fileId: string, documentId: string) {
    const source = await store.get(fileId, documentId);
    if (source === null) {
      if (await vault.isForgotten(keyOfDocument(documentId))) throw new FileErased();
      return null;
    }
    const pieces = new Pieces(source);
    const begins = await pieces.atLeast(MAGIC.length + 2);
    if (!begins.subarray(0, MAGIC.length).equals(MAGIC)) {
      await pieces.end();
      throw new Error(`The stored file ${fileId} is not encrypted.`);
    }
    pieces.take(MAGIC.length);
    const length = pieces.take(2).readUInt16BE();
    await pieces.atLeast(length);
    return { encryptedKey: pieces.take(length).toString('latin1'), pieces };
  }

  return {
    put: (fileId, content, documentId) => put(expectFileId(fileId), content, documentId),

    async get(fileId, documentId) {
      const found = await open(expectFileId(fileId), documentId);
      if (found === null) return null;
      const { encryptedKey, pieces } = found;
      const key = await vault.decrypt(keyOfDocument(documentId), encryptedKey);
      if (key !== null) return decrypt(createSecretKey(key, 'base64'), fileId, pieces);
      await pieces.end();
      throw new FileErased();
    },

    remove: (fileId) => store.remove(fileId),
  };
}

interface Encryption {
  readonly head: Buffer;
  readonly key: KeyObject;
  readonly fileId: string;
}

async function* encrypt(
  { head, key, fileId }: Encryption,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  yield head;
  const pieces = new Pieces(content);
  for (let index = 0; ; index += 1) {
    const length = Math.min(PIECE_BYTES, (await pieces.atLeast(PIECE_BYTES)).length);
    const isLast = length < PIECE_BYTES;
    const cipher = createCipheriv(CIPHER, key, nonceOf(index, isLast)).setAAD(contextOf(fileId));
    const encrypted = cipher.update(pieces.take(length));
    cipher.final();
    yield Buffer.concat([encrypted, cipher.getAuthTag()]);
    if (isLast) return;
  }
}

/** Yields authenticated data only. @throws Error for another file, or an altered or truncated one */
async function* decrypt(key: KeyObject, fileId: string, pieces: Pieces): AsyncGenerator<Buffer> {
  try {
    for (let index = 0; ; index += 1) {
      const encrypted = (await pieces.atLeast(PIECE_BYTES + TAG_BYTES)).length;
      const isLast = encrypted < PIECE_BYTES + TAG_BYTES;
      if (encrypted < TAG_BYTES) throw new Error('The encrypted file was cut off.');
      const nonce = nonceOf(index, isLast);
      const cipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
      const piece = pieces.take(isLast ? encrypted - TAG_BYTES : PIECE_BYTES);
      cipher.setAAD(contextOf(fileId)).setAuthTag(pieces.take(TAG_BYTES));
      yield Buffer.concat([cipher.update(piece), cipher.final()]);
      if (isLast) return;
    }
  } finally {
    await pieces.end();
  }
}

/** A key encrypts one file, so the number of the piece suffices. */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt8(isLast ? 1 : 0);
  nonce.writeUInt32BE(index, 8);
  return nonce;
}

function contextOf(fileId: string): Buffer {
  return Buffer.from(`document-file:${fileId}`, 'utf8');
}

/** A stream of bytes, taken in lengths of the reader's choice. */
class Pieces {
  readonly #source: AsyncIterator<Uint8Array>;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Buffered bytes: at least so many, or all that are left. */
  async atLeast(length: number): Promise<Buffer> {
    const arrived: Uint8Array[] = [this.#buffer];
    for (let at = this.#buffer.length; at < length;) {
      const next = await this.#source.next();
      if (next.done === true) break;
      arrived.push(next.value);
      at += next.value.length;
    }
    if (arrived.length > 1) this.#buffer = Buffer.concat(arrived);
    return this.#buffer;
  }

  take(length: number): Buffer {
    const taken = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return taken;
  }

  /** Closes the source. */
  async end(): Promise<void> {
    await this.#source.return?.();
  }
}
