import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { FileStore } from '../../application/document/ports/fileStore.ts';
import type { FileContent } from '../../application/ports/objectStore.ts';

/** Bytes as the store is given them, in pieces. */
export function contentOf(bytes: Buffer, pieceBytes = 64 * 1024): FileContent {
  return {
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    // eslint-disable-next-line @typescript-eslint/require-await -- pieces that are at hand
    async *read() {
      for (let at = 0; at < bytes.length; at += pieceBytes)
        yield bytes.subarray(at, at + pieceBytes);
    },
  };
}

export async function bytesOf(pieces: AsyncIterable<Uint8Array> | null): Promise<Buffer | null> {
  if (pieces === null) return null;
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

const documentId = randomUUID();

/** Contract of every file store. */
export function fileStoreContract(name: string, open: () => FileStore): void {
  describe(`A file store (${name})`, () => {
    it('returns the stored bytes, repeatedly', async () => {
      const [store, id, bytes] = [open(), randomUUID(), randomBytes(1_000_003)];
      await store.put(id, contentOf(bytes), documentId);
      for (let times = 0; times < 2; times += 1) {
        expect((await bytesOf(await store.get(id, documentId)))?.equals(bytes)).to.equal(true);
      }
    });

    it('keeps files apart, and the empty one', async () => {
      const [store, one, other] = [open(), randomUUID(), randomUUID()];
      await store.put(one, contentOf(Buffer.from('one')), documentId);
      await store.put(other, contentOf(Buffer.alloc(0)), documentId);
      expect((await bytesOf(await store.get(one, documentId)))?.toString()).to.equal('one');
      expect((await bytesOf(await store.get(other, documentId)))?.length).to.equal(0);
    });

    it('has nothing that was not put there, or was removed', async () => {
      const [store, id] = [open(), randomUUID()];
      expect(await store.get(id, documentId)).to.equal(null);
      await store.put(id, contentOf(Buffer.from('x')), documentId);
      await store.remove(id);
      await store.remove(id);
      expect(await store.get(id, documentId)).to.equal(null);
    });

    it('takes the same bytes again', async () => {
      const [store, id] = [open(), randomUUID()];
      for (let times = 0; times < 2; times += 1)
        await store.put(id, contentOf(Buffer.from('x')), documentId);
      expect((await bytesOf(await store.get(id, documentId)))?.toString()).to.equal('x');
    });

    it('shows nothing of a file whose bytes broke off', async () => {
      const [store, id] = [open(), randomUUID()];
      const broken: FileContent = {
        ...contentOf(Buffer.alloc(200_000)),
        // eslint-disable-next-line @typescript-eslint/require-await -- pieces that are at hand
        async *read() {
          yield Buffer.alloc(100_000);
          throw new Error('broken off');
        },
      };
      const refused = await store.put(id, broken, documentId).then(
        () => null,
        (error: unknown) => error,
      );
      expect(refused).to.be.an('error');
      expect(await store.get(id, documentId)).to.equal(null);
    });

    it('names files by nothing but UUIDs', async () => {
      const refused = await Promise.resolve()
        .then(() => open().get('../../etc/passwd', documentId))
        .then(
          () => null,
          (error: unknown) => error,
        );
      expect(refused).to.be.an('error');
    });
  });
}
