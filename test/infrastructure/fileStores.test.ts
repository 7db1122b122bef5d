import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FileErased, FileTooLarge } from '../../application/document/ports/fileStore.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import { createClamdScanner } from '../../infrastructure/files/clamdScanner.ts';
import { createDirectoryObjects } from '../../infrastructure/files/directoryObjects.ts';
import { createFileStore } from '../../infrastructure/files/fileStore.ts';
import { createMemoryFileStore } from '../support/doubles/memoryFileStore.ts';
import { createS3Objects } from '../../infrastructure/files/s3Objects.ts';
import { testVault } from '../support/doubles/vault.ts';
import { createEncryptedFileStore } from '../../infrastructure/files/encryptedFileStore.ts';
import { createOutside } from '../../infrastructure/outside/bounds.ts';
import { createTemporarySpool } from '../../infrastructure/files/temporarySpool.ts';
import { bytesOf, contentOf, fileStoreContract } from '../contracts/fileStoreContract.ts';
import { type S3Double, s3Credentials, startS3Double } from '../support/doubles/s3Double.ts';

const failure = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

const documentId = randomUUID();

const openSpool = () => createTemporarySpool({ access: createOutside().open('temporaryFiles') });

const inBucket = (options: { readonly bucketUrl: string; readonly secretAccessKey?: string }) =>
  createFileStore(createS3Objects({ ...s3Credentials, dependency: 'fileStore', ...options }));

describe('Places for files', () => {
  let directory: string;
  let bucket: S3Double;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-files-'));
    bucket = await startS3Double();
  });
  after(async () => {
    await bucket.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const openDirectory = () =>
    createFileStore(
      createDirectoryObjects({
        directory,
        dependency: 'fileStore',
        access: createOutside().open('fileStore'),
      }),
    );
  const openBucket = (secretAccessKey = s3Credentials.secretAccessKey) =>
    inBucket({ secretAccessKey, bucketUrl: bucket.bucketUrl });

  fileStoreContract('in memory', createMemoryFileStore);
  fileStoreContract('a directory', openDirectory);
  fileStoreContract('a bucket', openBucket);

  const vault = testVault();
  fileStoreContract('encrypted, in a directory', () =>
    createEncryptedFileStore({ store: openDirectory(), vault }),
  );
  fileStoreContract('encrypted, in a bucket', () =>
    createEncryptedFileStore({ store: openBucket(), vault }),
  );

  describe('F12: encrypted files', () => {
    const open = () => {
      const memory = createMemoryFileStore();
      return { memory, store: createEncryptedFileStore({ store: memory, vault }) };
    };
    const id = randomUUID();
    const text = Buffer.from('Түрээсийн гэрээ, Сарангэрэл');

    it('show nothing of what they say in the store', async () => {
      const { memory, store } = open();
      await store.put(id, contentOf(text), documentId);
      expect(memory.files.get(id)?.includes(text.subarray(0, 8))).to.equal(false);
    });

    for (const sizeBytes of [0, 1, 65_535, 65_536, 65_537, 131_072]) {
      it(`come back whole with ${sizeBytes} bytes, in whatever pieces they are read`, async () => {
        const { store } = open();
        const bytes = Buffer.alloc(sizeBytes, 'я');
        await store.put(id, contentOf(bytes, 1000), documentId);
        expect((await bytesOf(await store.get(id, documentId)))?.equals(bytes)).to.equal(true);
      });
    }

    it('are refused when a byte was altered, pieces are missing or moved, or the file is another', async () => {
      const { memory, store } = open();
      await store.put(id, contentOf(Buffer.alloc(200_000, 7)), documentId);
      const encrypted = memory.files.get(id) ?? Buffer.alloc(0);
      const piece = 65_552;
      const head = encrypted.length - 3 * piece - (200_000 - 3 * 65_536 + 16);
      const altered = Buffer.from(encrypted);
      altered.writeUInt8(altered.readUInt8(head + 100) ^ 1, head + 100);
      const pieces = [0, 1, 2, 3].map((at) =>
        encrypted.subarray(head + at * piece, head + (at + 1) * piece),
      );
      const [first, second, third, last] = pieces as [Buffer, Buffer, Buffer, Buffer];
      const rests = [
        altered.subarray(head),
        Buffer.concat([second, first, third, last]),
        Buffer.concat([first, second, last]),
        Buffer.concat([first, second, third]),
        encrypted.subarray(head, -1),
      ];
      for (const rest of rests) {
        memory.files.set(id, Buffer.concat([encrypted.subarray(0, head), rest]));
        const read = async () => bytesOf(await store.get(id, documentId));
        expect(await failure(read())).to.be.an('error');
      }
      const other = randomUUID();
      memory.files.set(other, encrypted);
      const moved = async () => bytesOf(await store.get(other, documentId));
      expect(await failure(moved())).to.be.an('error');
    });

    it('are gone once the key of their document is destroyed, copies too; no other may be stored', async () => {
      const { memory, store } = open();
      const erased = randomUUID();
      await store.put(id, contentOf(text), erased);
      await vault.forget(`document:${erased}`);
      expect(await failure(store.get(id, erased))).to.be.instanceOf(FileErased);
      memory.files.clear();
      expect(await failure(store.get(id, erased))).to.be.instanceOf(FileErased);
      expect(await failure(store.put(id, contentOf(text), erased))).to.be.instanceOf(FileErased);
    });

    it('are refused where they are not encrypted: nobody of this platform stored them', async () => {
      const { memory, store } = open();
      for (const bytes of [text, Buffer.alloc(0), Buffer.alloc(100_000, 1)]) {
        memory.files.set(id, bytes);
        expect(await failure(store.get(id, documentId))).to.match(/is not encrypted/);
      }
    });
  });

  it('a bucket that does not answer, refuses, or was given another secret is unavailable', async () => {
    bucket.fails = 503;
    expect(await failure(openBucket().get(randomUUID(), documentId))).to.be.instanceOf(Unavailable);
    bucket.fails = null;
    const wrong = openBucket('another secret');
    expect(
      await failure(wrong.put(randomUUID(), contentOf(Buffer.from('x')), documentId)),
    ).to.be.instanceOf(Unavailable);
    const nowhere = inBucket({ bucketUrl: 'http://127.0.0.1:1/x' });
    expect(await failure(nowhere.get(randomUUID(), documentId))).to.be.instanceOf(Unavailable);
  });

  describe('The spool', () => {
    const { TMPDIR } = process.env;
    before(() => {
      process.env['TMPDIR'] = directory;
    });
    after(() => {
      if (TMPDIR === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = TMPDIR;
    });

    it('knows size, digest and first bytes, reads as often as asked, leaves nothing behind', async () => {
      const present = await readdir(directory);
      const bytes = Buffer.alloc(300_000, 'абв');
      const given = contentOf(bytes);
      const file = await openSpool().take(given.read(), bytes.length);
      expect(await readdir(directory)).to.deep.equal(present);
      expect(file).to.include({ sizeBytes: bytes.length, sha256: given.sha256 });
      expect(file.head.equals(bytes.subarray(0, 1024))).to.equal(true);
      for (let times = 0; times < 2; times += 1) {
        expect((await bytesOf(file.read()))?.equals(bytes)).to.equal(true);
      }
      await file.discard();
      await file.discard();
    });

    it('takes no more than it may', async () => {
      const given = contentOf(Buffer.alloc(1000), 100);
      expect(await failure(openSpool().take(given.read(), 999))).to.be.instanceOf(FileTooLarge);
    });
  });

  describe('ClamAV, by INSTREAM', () => {
    let server: Server;
    let answer = '';
    let heard: Buffer;
    before(async () => {
      server = createServer((socket) => {
        let sent = Buffer.alloc(0);
        socket.on('error', () => undefined);
        socket.on('data', (piece) => {
          sent = Buffer.concat([sent, piece]);
          const file = streamed(sent);
          if (file === null) return;
          heard = file;
          socket.end(answer);
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });
    after(() => server.close());

    /** The file of a whole INSTREAM command; null: not all of it has come. */
    function streamed(sent: Buffer): Buffer | null {
      const command = Buffer.from('zINSTREAM\0');
      if (sent.length < command.length) return null;
      expect(sent.subarray(0, command.length).equals(command)).to.equal(true);
      const pieces: Buffer[] = [];
      for (let at = command.length; at + 4 <= sent.length;) {
        const length = sent.readUInt32BE(at);
        if (length === 0) return Buffer.concat(pieces);
        pieces.push(sent.subarray(at + 4, at + 4 + length));
        at += 4 + length;
      }
      return null;
    }

    const scan = (bytes: Buffer, options = {}) => {
      const { port } = server.address() as AddressInfo;
      const scanner = createClamdScanner({ address: `tcp://127.0.0.1:${port}`, ...options });
      return scanner.scan(contentOf(bytes, 1000));
    };

    it('hears the whole file, and says that it is clean or what was found', async () => {
      const bytes = Buffer.alloc(12_345, 7);
      answer = 'stream: OK\0';
      expect(await scan(bytes)).to.deep.equal({ found: null });
      expect(heard.equals(bytes)).to.equal(true);
      answer = 'stream: Eicar-Signature FOUND\0';
      expect(await scan(bytes)).to.deep.equal({ found: 'Eicar-Signature' });
    });

    it('F7: is reached at an IPv6 address', async function () {
      const bound = createServer((socket) => server.emit('connection', socket));
      const listening = new Promise<boolean>((resolve) => {
        bound.once('error', () => resolve(false));
        bound.listen(0, '::1', () => resolve(true));
      });
      if (!(await listening)) {
        globalThis.console.log('      There is no IPv6 here: skipped');
        this.skip();
      }
      answer = 'stream: OK\0';
      const { port } = bound.address() as AddressInfo;
      const scanner = createClamdScanner({ address: `tcp://[::1]:${port}` });
      expect(await scanner.scan(contentOf(Buffer.from('x')))).to.deep.equal({ found: null });
      bound.close();
    });

    it('is Unavailable when the server is down, hangs up, answers something else, or takes too long', async () => {
      for (const said of ['', 'INSTREAM size limit exceeded. ERROR\0', 'stream: FOUND\0']) {
        answer = said;
        expect(await failure(scan(Buffer.from('x'))), said).to.be.instanceOf(Unavailable);
      }
      const away = createClamdScanner({ address: 'tcp://127.0.0.1:1' });
      expect(await failure(away.scan(contentOf(Buffer.from('x'))))).to.be.instanceOf(Unavailable);
      const socket = createClamdScanner({ address: 'unix:///nowhere/clamd.sock' });
      expect(await failure(socket.scan(contentOf(Buffer.from('x'))))).to.be.instanceOf(Unavailable);
      const mute = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => mute.once('listening', resolve));
      const { port } = mute.address() as AddressInfo;
      const slow = createClamdScanner({ address: `tcp://127.0.0.1:${port}`, timeoutMs: 50 });
      expect(await failure(slow.scan(contentOf(Buffer.from('x'))))).to.be.instanceOf(Unavailable);
      mute.close();
    });
  });
});
