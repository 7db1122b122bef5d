import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { z } from 'zod';
import { readFilePart } from '../../api/documents/multipartFile.ts';
import { anyone } from '../../api/http/handling.ts';
import { route } from '../../api/http/route.ts';
import {
  createDocumentFiles,
  type IncomingFile,
  removeIfUnused,
} from '../../application/document/documentFiles.ts';
import { createDocuments } from '../../application/document/documents.ts';
import type { ScanResult } from '../../application/document/ports/fileScanner.ts';
import type { FileStore } from '../../application/document/ports/fileStore.ts';
import { Overloaded, Unavailable } from '../../application/ports/faults.ts';
import type { UnsettledFile } from '../../application/document/ports/unsettledFiles.ts';
import { createMemoryFileStore } from '../support/doubles/memoryFileStore.ts';
import { createOutside } from '../../infrastructure/outside/bounds.ts';
import { createTemporarySpool } from '../../infrastructure/files/temporarySpool.ts';
import { contentOf } from '../contracts/fileStoreContract.ts';
import { startTestServer } from '../support/http/http.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { causedBy, givenInMemory } from '../support/given/inMemory.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';

const context = causedBy('system', 'test');

async function createWorld(
  store: FileStore = createMemoryFileStore(),
  room: { readonly mostFiles?: number } = {},
) {
  const { clock, randomness, stores } = givenInMemory({ clock: () => manualClock(null) });
  const documents = createDocuments(stores);
  const noted = new Map<string, UnsettledFile & { readonly at: Date }>();
  const unsettled = {
    note: (files: readonly UnsettledFile[], at: Date) => {
      for (const file of files) noted.set(file.fileId, { ...file, at });
      return Promise.resolve();
    },
    settle: (ids: readonly string[], before: Date = new Date()) => {
      for (const id of ids) if ((noted.get(id)?.at ?? before) <= before) noted.delete(id);
      return Promise.resolve();
    },
    notedBefore: () => Promise.resolve([...noted.values()]),
  };
  const verdict = { found: null } as ScanResult | Error;
  const state = { verdict, noted, documents, store, unsettled };
  const files = createDocumentFiles({
    documents,
    store,
    unsettled,
    clock,
    randomness,
    maxBytes: 30_000_000,
    spool: createTemporarySpool({ ...room, access: createOutside().open('temporaryFiles') }),
    inspection: {
      warningsOf: () => Promise.resolve([]),
      recognise: () => Promise.resolve({ result: 'other' }),
    },
    scanner: {
      scan: () =>
        state.verdict instanceof Error
          ? Promise.reject(state.verdict)
          : Promise.resolve(state.verdict),
    },
  });
  const documentId = randomUUID();
  const create = (id = documentId) =>
    documents.handleNew(
      id,
      {
        type: 'CreateDocument',
        created: {
          documentId: id,
          tenantId: 't',
          title: 'x',
          docType: 'CONTRACT',
          signers: [null],
          owner: null,
          clientId: null,
          createdAt: new Date().toISOString(),
        },
      },
      context,
    );
  await create();
  const record = async () => {
    const { state: document } = await documents.load(documentId);
    if (document.status === 'NONE') throw new Error('There is no document.');
    return document;
  };
  const fileOf = async () => (await record()).file;
  const attach = (bytes: Buffer, source = contentOf(bytes).read()) =>
    files.attach(
      { documentId, tenantId: 't' },
      (take) => take({ fileName: 'a.txt', contentType: 'text/plain', source }),
      context,
    );
  const sweep = async () => {
    for (const file of [...noted.values()]) {
      await removeIfUnused({ documents, store, unsettled }, file, new Date());
    }
  };
  return Object.assign(state, { files, attach, sweep, fileOf, record, documentId, create });
}

describe('Files of documents', () => {
  it('with a virus are refused with its name, and never there', async () => {
    const store = createMemoryFileStore();
    const world = await createWorld(store);
    world.verdict = { found: 'Eicar-Signature' };
    const refusal = await rejection(world.attach(Buffer.from('x')));
    expect(refusal).to.include({ code: 'FILE_INFECTED' });
    expect((refusal as Error).message).to.include('Eicar-Signature');
    expect(await world.fileOf()).to.equal(null);
    expect(store.files.size).to.equal(0);
  });

  it('are not taken while the scanner is down', async () => {
    const world = await createWorld();
    world.verdict = new Unavailable('fileScanner');
    expect(await rejection(world.attach(Buffer.from('x')))).to.be.instanceOf(Unavailable);
    expect(await world.fileOf()).to.equal(null);
  });

  it('leave a note behind when they are stored and nothing refers to them; the sweep removes them', async () => {
    const store = createMemoryFileStore();
    const crash = { at: true };
    const crashing: FileStore = {
      ...store,
      put: async (id, content, documentId) => {
        await store.put(id, content, documentId);
        if (crash.at) throw new Error('the process is gone');
      },
    };
    const world = await createWorld(crashing);
    await rejection(world.attach(Buffer.from('lost')));
    crash.at = false;
    await world.attach(Buffer.from('kept'));
    expect([store.files.size, world.noted.size]).to.deep.equal([2, 2]);
    await world.sweep();
    expect([store.files.size, world.noted.size]).to.deep.equal([1, 0]);
    expect(store.files.has((await world.fileOf())?.fileId ?? '')).to.equal(true);
  });

  it('that another took the place of go; those that are in use stay, noted or not', async () => {
    const store = createMemoryFileStore();
    const world = await createWorld(store);
    await world.attach(Buffer.from('first'));
    await world.attach(Buffer.from('second'));
    const { fileId = '' } = (await world.fileOf()) ?? {};
    world.noted.set(fileId, { fileId, documentId: world.documentId, at: new Date() });
    await world.sweep();
    expect([...store.files.keys()]).to.deep.equal([fileId]);
  });

  it('of which one took the place of another under way go as well: one is kept', async () => {
    const store = createMemoryFileStore();
    const world = await createWorld(store);
    await world.attach(Buffer.from('before'));
    await world.sweep();
    await Promise.all(['a', 'b', 'c'].map((text) => world.attach(Buffer.from(text))));
    await world.sweep();
    expect([...store.files.keys()]).to.deep.equal([(await world.fileOf())?.fileId]);
    expect(world.noted.size).to.equal(0);
  });

  it('noted again while they are looked at stay noted', async () => {
    const world = await createWorld();
    await world.attach(Buffer.from('x'));
    const { fileId = '' } = (await world.fileOf()) ?? {};
    const { documents, store, unsettled, documentId } = world;
    const before = new Date((world.noted.get(fileId)?.at.getTime() ?? NaN) - 1);
    await removeIfUnused({ documents, store, unsettled }, { fileId, documentId }, before);
    expect([...world.noted.keys()]).to.deep.equal([fileId]);
  });

  it('are not opened where there is no room to check them', async () => {
    const memory = createMemoryFileStore();
    let opened = 0;
    const store: FileStore = {
      ...memory,
      get: (fileId, documentId) => {
        opened += 1;
        return memory.get(fileId, documentId);
      },
    };
    const world = await createWorld(store, { mostFiles: 1 });
    await world.attach(Buffer.from('x'));
    const document = await world.record();
    const first = await world.files.open(document);
    expect(await rejection(world.files.open(document))).to.be.instanceOf(Overloaded);
    expect(opened).to.equal(1);
    await first.content.discard();
    await (await world.files.open(document)).content.discard();
    expect(opened).to.equal(2);
  });

  it('arrive many at a time in bounded memory', async function () {
    this.timeout(60_000);
    const [uploads, pieces, piece] = [20, 160, Buffer.alloc(64 * 1024, 'a')];
    let stored = 0;
    const passing: FileStore = {
      ...createMemoryFileStore(),
      put: async (_id, content) => {
        for await (const each of content.read()) stored += each.length;
      },
    };
    const world = await createWorld(passing);
    const upload = route({
      name: 'upload',
      summary: 'Upload',
      path: '/upload/:id',
      guard: anyone,
      method: 'POST',
      params: z.object({ id: z.string() }),
      query: z.object({}),
      body: null,
      streamsBody: true,
      handle: async ({ params, context: caller }) => ({
        body: await world.files.attach(
          { documentId: params.id, tenantId: 't' },
          <Result>(take: (file: IncomingFile) => Promise<Result>) =>
            readFilePart(caller, 30_000_000, take),
          context,
        ),
      }),
    });
    const { server, origin } = await startTestServer([upload]);
    async function send(): Promise<number> {
      const id = randomUUID();
      await world.create(id);
      const sending = request(`${origin}/upload/${id}`, {
        method: 'POST',
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      });
      const answered = new Promise<number>((resolve, reject) => {
        sending.on('response', (response) => resolve(response.resume().statusCode ?? 0));
        sending.on('error', reject);
      });
      async function* form() {
        yield '--b\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\n';
        for (let sent = 0; sent < pieces; sent += 1) {
          yield piece;
          await new Promise(setImmediate);
        }
        yield '\r\n--b--\r\n';
      }
      await pipeline(Readable.from(form()), sending);
      return answered;
    }
    // Memory of buffers: the rest of the process grows by what its other tests left. A busy machine collects late,
    // and what nobody holds any more is not what an upload costs.
    const bound = 60 * 2 ** 20;
    const { arrayBuffers: before } = process.memoryUsage();
    let most = before;
    const watching = setInterval(() => {
      const held = () => process.memoryUsage().arrayBuffers;
      if (held() - before > bound) global.gc?.();
      // The second waits for what the first one left to a thread.
      if (held() - before > bound) global.gc?.();
      most = Math.max(most, held());
    }, 50);
    const statuses = await Promise.all(Array.from({ length: uploads }, send));
    clearInterval(watching);
    await server.stop(100);
    expect(statuses).to.deep.equal(Array.from({ length: uploads }, () => 200));
    expect(stored).to.equal(uploads * pieces * piece.length);
    // All of them together are 200 MiB.
    expect(most - before).to.be.lessThan(bound);
  });
});
