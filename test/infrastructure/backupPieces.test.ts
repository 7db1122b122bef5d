import {
  createHash,
  createSecretKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Unavailable } from '../../application/ports/faults.ts';
import type { BackupPiece } from '../../infrastructure/backup/manifest.ts';
import {
  createPieceWriter,
  cut,
  pieceName,
  readPieces,
  verifyPieces,
} from '../../infrastructure/backup/pieces.ts';
import {
  type BackupPlace,
  createDirectoryPlace,
  createS3Place,
} from '../../infrastructure/backup/place.ts';
import { createS3Objects } from '../../infrastructure/files/s3Objects.ts';
import { backupPlaceContract } from '../contracts/backupPlaceContract.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { type S3Double, s3Credentials, startS3Double } from '../support/doubles/s3Double.ts';

const key = createSecretKey(Buffer.alloc(32, 5));
const ONE = Buffer.from('x');
const sizes = { least: 1024, most: 16_384, bits: 12 };

/** Bytes that look random, and are the same each time. */
const bytesOf = (seed: string, length: number) =>
  Buffer.concat(
    Array.from({ length: Math.ceil(length / 8000) }, (_, at) =>
      Buffer.from(hkdfSync('sha256', seed, String(at), '', 8000)),
    ),
  ).subarray(0, length);

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) {
    yield await Promise.resolve(bytes.subarray(at, at + size));
  }
}

async function all(pieces: AsyncIterable<Buffer>): Promise<readonly Buffer[]> {
  const found: Buffer[] = [];
  for await (const piece of pieces) found.push(piece);
  return found;
}

describe('Places and pieces of backups', () => {
  let directory: string;
  let bucket: S3Double;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-place-'));
    bucket = await startS3Double();
  });

  after(async () => {
    await bucket.stop();
    await rm(directory, { recursive: true });
  });

  const inBucket = () =>
    createS3Place('s3://documents/backups', {
      ...s3Credentials,
      bucketUrl: bucket.bucketUrl,
      prefix: 'backups/',
    });

  backupPlaceContract('a directory', () => createDirectoryPlace(join(directory, 'place')));
  backupPlaceContract('a bucket', inBucket);

  it('is tried again when a bucket does not answer', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('x25519');
    bucket.fails = 503;
    bucket.onAnswered = () => (bucket.fails = null);
    const writer = createPieceWriter({
      place: inBucket(),
      key,
      recipients: [publicKey],
      known: new Map(),
    });
    await writer.write(inChunks(Buffer.from('row\n'), 4));
    const [piece] = writer.pieces();
    expect(
      String(Buffer.concat(await all(readPieces(inBucket(), piece ? [piece] : [], [privateKey])))),
    ).to.equal('row\n');
  });

  it('is tried again in all it does when a bucket does not answer', async () => {
    const place = inBucket();
    const interrupted = async <Result>(work: () => Promise<Result>) => {
      bucket.fails = 503;
      bucket.onAnswered = () => (bucket.fails = null);
      return work();
    };
    await interrupted(() => place.put('again/one', Buffer.from('x')));
    expect(await interrupted(() => place.list('again/'))).to.have.length(1);
    expect(String(await interrupted(() => place.get('again/one')))).to.equal('x');
    await interrupted(() => place.remove('again/one'));
    expect(await place.list('again/')).to.deep.equal([]);
  });

  it('is not asked for ever by a list that goes on and does not say where', async () => {
    const objects = createS3Objects({
      ...s3Credentials,
      bucketUrl: bucket.bucketUrl,
      prefix: 'endless/',
      dependency: 'backup',
    });
    for (const name of ['a', 'b', 'c']) bucket.objects.set(`/documents/endless/${name}`, ONE);
    bucket.namesNext = false;
    const listed = await rejection(objects.list(''));
    bucket.namesNext = true;
    expect(listed).to.be.instanceOf(Unavailable);
  });

  it('lists the rest of a directory where a file goes after the directory was read', async () => {
    // Linux lists the descriptor that reads this directory, which is closed by then.
    const listed = await createDirectoryPlace('/proc/self/fdinfo').list('');
    expect(listed.map(({ name }) => name)).to.include.members(['0', '1', '2']);
  });

  describe('a content', () => {
    const content = bytesOf('content', 400_000);

    it('is cut where it says so itself, however it comes', async () => {
      const pieces = await all(cut(inChunks(content, 400_000), key, sizes));
      expect(Buffer.concat(pieces).equals(content)).to.equal(true);
      for (const piece of pieces.slice(0, -1)) {
        expect(piece.length).to.be.within(sizes.least, sizes.most);
      }
      expect(pieces.length).to.be.within(30, 300);
      for (const size of [1, 777, 65_536]) {
        const other = await all(cut(inChunks(content, size), key, sizes));
        expect(other.map(({ length }) => length)).to.deep.equal(pieces.map(({ length }) => length));
      }
      expect(await all(cut(inChunks(Buffer.alloc(0), 1), key, sizes))).to.deep.equal([]);
    });

    it('is cut no longer than the longest piece, where it is monotonous', async () => {
      const pieces = await all(cut(inChunks(Buffer.alloc(100_000), 777), key, sizes));
      expect(Math.max(...pieces.map(({ length }) => length))).to.be.at.most(sizes.most);
    });

    it('is cut as before around what was inserted, removed and appended', async () => {
      const before = await all(cut(inChunks(content, 4096), key, sizes));
      const names = new Set(
        before.map((piece) => createHash('sha256').update(piece).digest('hex')),
      );
      const changed = Buffer.concat([
        content.subarray(0, 100_000),
        Buffer.from('inserted'),
        content.subarray(100_000, 250_000),
        content.subarray(250_020),
        bytesOf('appended', 3000),
      ]);
      const after = await all(cut(inChunks(changed, 4096), key, sizes));
      const added = after.filter(
        (piece) => !names.has(createHash('sha256').update(piece).digest('hex')),
      );
      expect(added.length).to.be.within(1, 8);
    });

    it('is cut otherwise with another key', async () => {
      const other = createSecretKey(Buffer.alloc(32, 6));
      const lengths = async (by: KeyObject) =>
        (await all(cut(inChunks(content, 4096), by, sizes))).map(({ length }) => length);
      expect(await lengths(key)).to.not.deep.equal(await lengths(other));
    });
  });

  describe('a piece', () => {
    const identity = generateKeyPairSync('x25519');
    const stranger = generateKeyPairSync('x25519');
    const content = bytesOf('piece', 50_000);
    let place: BackupPlace;

    beforeEach(async () => {
      place = createDirectoryPlace(await mkdtemp(join(directory, 'pieces-')));
    });

    const writerFor = (recipient: KeyObject, known: readonly BackupPiece[] = []) =>
      createPieceWriter({
        place,
        key,
        recipients: [recipient],
        known: new Map(known.map((piece) => [piece.id, piece])),
        sizes,
      });

    it('that is there is not written again, but for other recipients', async () => {
      const first = writerFor(identity.publicKey);
      const ids = await first.write(inChunks(content, 4096));
      expect(first.writtenBytes()).to.be.above(content.length);
      const second = writerFor(identity.publicKey, first.pieces());
      expect(await second.write(inChunks(content, 4096))).to.deep.equal(ids);
      expect(second.writtenBytes()).to.equal(0);
      expect(second.pieces()).to.deep.equal(first.pieces());
      const third = writerFor(stranger.publicKey, first.pieces());
      await third.write(inChunks(content, 4096));
      expect(third.writtenBytes()).to.equal(first.writtenBytes());
    });

    it('that is missing, truncated, changed or for others is named', async () => {
      const writer = writerFor(identity.publicKey);
      await writer.write(inChunks(content, 4096));
      const pieces = writer.pieces();
      const read = (by = identity.privateKey) => all(readPieces(place, pieces, [by]));
      expect(Buffer.concat(await read()).equals(content)).to.equal(true);
      expect(await rejection(read(stranger.privateKey))).to.match(
        /is encrypted to another recipient/u,
      );
      const name = pieceName(pieces[2] ?? { sha256: '' });
      const sealed = (await place.get(name)) ?? Buffer.alloc(0);
      const verified = () => verifyPieces(place, pieces, () => undefined);
      await verified();
      await place.put(name, sealed.subarray(0, 100));
      expect(await rejection(verified())).to.match(/is truncated: it has 100 of \d+ bytes/u);
      sealed.writeUInt8(sealed.readUInt8(300) ^ 1, 300);
      await place.put(name, sealed);
      expect(await rejection(verified())).to.match(/was changed after it was written/u);
      await place.remove(name);
      expect(await rejection(verified())).to.match(new RegExp(`${name} is missing`, 'u'));
    });
  });
});
