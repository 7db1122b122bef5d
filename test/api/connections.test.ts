import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectSecurely } from 'node:tls';
import { expect } from 'chai';
import { z } from 'zod';
import { createAdmission } from '../../api/bounds/admission.ts';
import { createConnections } from '../../api/bounds/connections.ts';
import { anyone } from '../../api/http/handling.ts';
import { type Reply, type Route, route } from '../../api/http/route.ts';
import type { ApiServer, ApiServerOptions } from '../../api/server.ts';
import { Overloaded } from '../../application/ports/faults.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { type Console, createConsoleService } from '../../main/composition/console.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { startTestServer, until } from '../support/http/http.ts';
import { openssl } from '../support/programs/openssl.ts';

const get = (path: string, handle: () => Reply | Promise<Reply>): Route =>
  route({
    name: path.slice(1),
    summary: 'For tests.',
    method: 'GET',
    path,
    guard: anyone,
    params: z.object({}),
    query: z.object({}),
    body: null,
    handle,
  });

const requestTo = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

/** A connection, with what was heard on it. */
async function openConnection(origin: string) {
  const { port, protocol } = new URL(origin);
  const address = { port: Number(port), host: '127.0.0.1' };
  const isTls = protocol === 'https:';
  const socket = isTls
    ? connectSecurely({ ...address, rejectUnauthorized: false })
    : connect({ ...address, allowHalfOpen: true });
  const state = { socket, heard: '', isClosed: false };
  socket.on('data', (bytes: Buffer) => (state.heard += bytes.toString('latin1')));
  socket.on('error', () => undefined);
  socket.on('close', () => (state.isClosed = true));
  socket.on('end', () => (state.isClosed = true));
  await once(socket, isTls ? 'secureConnect' : 'connect');
  return state;
}

describe('F6: The connections of the API', () => {
  const servers: ApiServer[] = [];
  const sockets: Socket[] = [];

  async function serve(routes: readonly Route[], options: Partial<ApiServerOptions> = {}) {
    const started = await startTestServer(routes, options);
    servers.push(started.server);
    return started;
  }

  async function open(server: ApiServer) {
    const opened = await openConnection(server.address().origin);
    sockets.push(opened.socket);
    return opened;
  }

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(servers.splice(0).map((server) => server.stop(100)));
  });

  it('end when they pipeline more requests than may wait for an answer', async () => {
    let waiting = 0;
    const { server } = await serve([
      get('/wait', () => {
        waiting += 1;
        return new Promise<Reply>(() => undefined);
      }),
    ]);
    const patient = await open(server);
    patient.socket.write(requestTo('/wait').repeat(32));
    await until(() => waiting === 32);
    const greedy = await open(server);
    greedy.socket.write(requestTo('/wait').repeat(1000));
    await until(() => greedy.isClosed);
    expect(waiting).to.be.at.most(64);
    expect(patient.isClosed).to.equal(false);
  });

  it('end when they ask on without reading large answers', async () => {
    const body = Buffer.alloc(512 * 1024, 'x');
    let served = 0;
    const { server } = await serve([
      get('/large', () => {
        served += 1;
        return { body };
      }),
    ]);
    const asked = await open(server);
    asked.socket.pause();
    asked.socket.write(requestTo('/large').repeat(1000));
    await until(() => served > 0);
    asked.socket.resume();
    await until(() => asked.isClosed);
    expect(served).to.be.below(20);
  });

  it('are so many of one address at most, a trusted proxy apart', async () => {
    const connections = { total: 100, perAddress: 2 };
    const { server } = await serve([], { connections });
    const [first, second, third] = [await open(server), await open(server), await open(server)];
    await until(() => third.isClosed);
    expect([first.isClosed, second.isClosed]).to.deep.equal([false, false]);
    first.socket.destroy();
    await until(() => first.isClosed);
    const { origin } = server.address();
    // The server learns of the end a moment later.
    await eventually(async () => expect((await fetch(`${origin}/`)).status).to.equal(404));

    const caller = { trustProxy: ['127.0.0.0/8'], clientCertificateHeader: null };
    const behind = (await serve([], { connections, caller })).server;
    const all = [await open(behind), await open(behind), await open(behind)];
    expect((await fetch(`${behind.address().origin}/`)).status).to.equal(404);
    expect(all.map(({ isClosed }) => isClosed)).to.deep.equal([false, false, false]);
  });

  it('N13: are counted by network where addresses are of IPv6', () => {
    const server = createServer();
    const limits = { total: 100, perAddress: 2, isShared: () => false };
    createConnections(server, false, limits);
    const from = (remoteAddress: string) => {
      const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
      server.emit('connection', socket);
      return socket.destroyed;
    };
    const addresses = ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1'];
    expect(addresses.map(from)).to.deep.equal([false, false, true, false]);
  });

  it('are so many in all at most', async () => {
    const { server } = await serve([], { connections: { total: 2, perAddress: 100 } });
    await open(server);
    await open(server);
    const third = await open(server);
    await until(() => third.isClosed);
  });

  it('hold up no stop while they are silent or half-read', async () => {
    const { server } = await serve([]);
    const silent = await open(server);
    const halfRead = await open(server);
    halfRead.socket.write('GET / HTTP/1.1\r\nHo');
    const kept = await open(server);
    kept.socket.write(requestTo('/'));
    await until(() => kept.heard.includes('404'));
    const begun = performance.now();
    await server.stop(40_000);
    expect(performance.now() - begun).to.be.below(30_000);
    await until(() => silent.isClosed && halfRead.isClosed && kept.isClosed);
  });

  it('hold up no stop with a handshake that does not end', async function () {
    this.timeout(30_000);
    const { server } = await serve([], { tls: await selfSigned() });
    const { socket, isClosed } = await open(server);
    expect([socket.destroyed, isClosed]).to.deep.equal([false, false]);
    const begun = performance.now();
    await server.stop(200);
    expect(performance.now() - begun).to.be.below(10_000);
  });

  it('end their work before a stop', async () => {
    let finish: (() => void) | undefined;
    const { server } = await serve([
      get('/slow', () => {
        return new Promise((resolve) => {
          finish = () => resolve({ body: Buffer.from('done') });
        });
      }),
    ]);
    const asked = await open(server);
    asked.socket.write(requestTo('/slow'));
    await until(() => finish !== undefined);
    const stopped = server.stop();
    finish?.();
    await stopped;
    await until(() => asked.isClosed);
    expect(asked.heard).to.match(/\r\nconnection: close\r\n[^]*\r\n\r\ndone$/i);
  });
});

describe('A reader of a long answer', () => {
  const piece = Buffer.alloc(64 * 1024, 'x');
  const total = 32 * 1024 * 1024;
  /** Far more than the buffers of the system take. */
  let endless: Buffer;
  const servers: ApiServer[] = [];
  const sockets: Socket[] = [];
  let closedSources = 0;

  function* pieces() {
    try {
      for (let sent = 0; sent < total; sent += piece.length) yield piece;
    } finally {
      closedSources += 1;
    }
  }

  /** @param unreadTimeoutMs time in which a reader must read something */
  async function ask(
    path: string,
    unreadTimeoutMs: number,
    {
      stream = () => Readable.from(pieces()),
      ...options
    }: Partial<ApiServerOptions> & { stream?: () => AsyncIterable<Uint8Array> } = {},
  ) {
    const started = await startTestServer(
      [
        { ...get('/stream', () => ({ stream: stream() })), streamsAtOnce: 2 },
        { ...get('/small', () => ({ body: piece })), underLoad: 'refuseFirst' },
      ],
      {
        mounts: [
          {
            paths: ['/mounted'],
            listener: (_, response) => response.end(endless),
          },
        ],
        connections: { total: 100, perAddress: 100, unreadTimeoutMs },
        ...options,
      },
    );
    servers.push(started.server);
    const { socket, ...state } = await openConnection(started.origin);
    sockets.push(socket);
    socket.pause();
    socket.write(requestTo(path));
    return { ...started, socket, state };
  }

  before(() => (endless = Buffer.alloc(total * 5)));
  beforeEach(() => (closedSources = 0));

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(servers.splice(0).map((server) => server.stop(100)));
  });

  for (const scheme of ['http', 'https'] as const) {
    it(`is cut off once it reads a stream no more (${scheme}), and the source is closed`, async () => {
      const tls = scheme === 'https' ? { tls: await selfSigned() } : {};
      const { metrics } = await ask('/stream', 200, tls);
      await until(() => closedSources === 1);
      await until(() => metrics.state.served.length === 1);
      expect(metrics.state.served[0]).to.include({ route: '/stream', status: 499 });
    });
  }

  it('is cut off once it reads a mounted program no more', async () => {
    const { metrics } = await ask('/mounted', 200);
    await until(() => metrics.state.served.length === 1);
    expect(metrics.state.served[0]).to.include({ route: '/mounted', status: 499 });
  });

  it('is not cut off while it reads slowly', async function () {
    this.timeout(30_000);
    const { socket } = await ask('/stream', 1000);
    const begun = performance.now();
    let received = 0;
    socket.removeAllListeners('data');
    for await (const bytes of socket.iterator({
      destroyOnReturn: false,
    }) as AsyncIterable<Buffer>) {
      received += bytes.length;
      if (received >= total) break;
      // Paces the reader: the pieces of a second are few.
      await pause(5);
    }
    expect(received).to.be.at.least(total);
    expect(performance.now() - begun).to.be.above(1000);
    expect(closedSources).to.equal(1);
  });

  it('is not cut off while there is nothing to read', async () => {
    async function* stream() {
      yield piece;
      await pause(600);
      yield Buffer.from('the end');
    }
    const { socket } = await ask('/stream', 200, { stream });
    let heard = '';
    socket.on('data', (bytes: Buffer) => (heard = (heard + bytes.toString('latin1')).slice(-40)));
    socket.resume();
    await until(() => heard.includes('the end'));
  });

  it('makes the server refuse new work while too much is unread', async () => {
    const { origin, socket } = await ask('/mounted', 60_000);
    const status = async () => (await fetch(`${origin}/small`)).status;
    await eventually(async () => expect(await status()).to.equal(503));
    socket.destroy();
    await eventually(async () => expect(await status()).to.equal(200));
  });
});

describe('The connections of the console', () => {
  const opened: Socket[] = [];
  let console: Console;
  let asked = 0;
  const api = createServer(() => {
    asked += 1;
  });

  before(async () => {
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
    console = createConsoleService(
      readConfig({
        SVC_PROFILE: 'development',
        SVC_ROLES: 'console',
        SVC_CONSOLE_PORT: '0',
        SVC_CONSOLE_HOSTS: 'a',
        SVC_CONSOLE_UPSTREAM: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
        SVC_LOG_LEVEL: 'silent',
        SVC_MAX_CONNECTIONS: '3',
        SVC_MAX_CONNECTIONS_PER_ADDRESS: '2',
      }),
    );
    await console.start();
  });

  afterEach(() => {
    for (const socket of opened.splice(0)) socket.destroy();
  });

  after(async () => {
    api.closeAllConnections();
    api.close();
    await console.stop();
  });

  async function open() {
    const connection = await openConnection(console.origin ?? '');
    opened.push(connection.socket);
    return connection;
  }

  it('are so many of one address at most', async () => {
    const [first, second, third] = [await open(), await open(), await open()];
    await until(() => third.isClosed);
    expect([first.isClosed, second.isClosed]).to.deep.equal([false, false]);
  });

  it('end when they pipeline more requests than may wait for an answer', async () => {
    const greedy = await open();
    greedy.socket.write(requestTo('/v3/admin/audit').repeat(1000));
    await until(() => greedy.isClosed);
    expect(asked).to.be.at.most(32);
  });

  it('hold up no stop while they are silent', async () => {
    const silent = await open();
    const begun = performance.now();
    await console.stop();
    expect(performance.now() - begun).to.be.below(4000);
    await until(() => silent.isClosed);
  });
});

describe('Admission', () => {
  const limits = { maxInFlight: 10, maxEventLoopDelayMs: 1000 };

  it('refuses new work, then all but health, while callers leave answers unread', () => {
    let unreadBytes = 0;
    const { admit } = createAdmission(limits, {
      inFlight: () => 0,
      unreadBytes: () => unreadBytes,
    });
    admit({ underLoad: 'refuseFirst' });
    unreadBytes = 128 * 1024 * 1024;
    expect(() => admit({ underLoad: 'refuseFirst' })).to.throw(Overloaded);
    admit({});
    unreadBytes *= 2;
    expect(() => admit({})).to.throw(Overloaded);
    admit({ underLoad: 'alwaysServe' });
  });

  it('O7: looks at the clock for each request, and refuses all but health while it is wrong', () => {
    let isFit = true;
    const held = { inFlight: () => 0, unreadBytes: () => 0 };
    const { admit } = createAdmission({ ...limits, isFit: () => isFit }, held);
    admit({});
    isFit = false;
    expect(() => admit({})).to.throw(Refusal);
    admit({ underLoad: 'alwaysServe' });
    isFit = true;
    admit({});
  });
});

async function selfSigned(): Promise<{ readonly key: string; readonly cert: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'tamga-tls-'));
  const [keyPath, certPath] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  await openssl(
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-keyout', keyPath, '-out', certPath, '-days', '1', '-subj', '/CN=localhost'],
  );
  const [key, cert] = [await readFile(keyPath, 'utf8'), await readFile(certPath, 'utf8')];
  await rm(directory, { recursive: true });
  return { key, cert };
}

describe('An API that is told to end', () => {
  it('answers what has arrived on connections, kept and new, and closes them after it', async () => {
    const { server, origin } = await startTestServer([get('/ok', () => ({ status: 204 }))]);
    const kept = await openConnection(origin);
    kept.socket.write(requestTo('/ok'));
    await until(() => kept.heard.includes('204'));
    kept.heard = '';
    const fresh = await openConnection(origin);
    // Both are with this machine when the server begins to stop, and read by it later.
    for (const { socket } of [kept, fresh]) socket.write(requestTo('/ok'));
    await server.stop();
    await until(() => kept.isClosed && fresh.isClosed);
    for (const { heard } of [kept, fresh]) {
      expect(heard)
        .to.match(/^HTTP\/1\.1 204 /)
        .and.to.match(/^connection: close$/im);
    }
  });

  it('leaves kept connections of a proxy to their next answer, and accepts none', async () => {
    const { server, origin } = await startTestServer([get('/ok', () => ({ status: 204 }))], {
      caller: { trustProxy: ['127.0.0.1'], clientCertificateHeader: null },
    });
    const kept = await openConnection(origin);
    kept.socket.write(requestTo('/ok'));
    await until(() => kept.heard.includes('204'));
    kept.heard = '';
    const stopped = server.stop();
    await eventually(async () => {
      const answer = await openConnection(origin).then(
        () => 'accepted',
        () => 'refused',
      );
      expect(answer).to.equal('refused');
    });
    kept.socket.write(requestTo('/ok'));
    await until(() => kept.isClosed);
    expect(kept.heard).to.match(/^HTTP\/1\.1 204 /);
    await stopped;
  });

  it('is kept by nothing once it has ended', async () => {
    const ended = new WeakRef(await answeringAndStopped());
    await eventually(() => {
      global.gc?.();
      expect(ended.deref() === undefined).to.equal(true);
    });
  });

  /** A handler of a server that answered, and was stopped. */
  async function answeringAndStopped() {
    const answer = () => ({ status: 204 });
    const { server, origin } = await startTestServer([get('/ok', answer)]);
    expect((await fetch(`${origin}/ok`)).status).to.equal(204);
    await server.stop();
    return answer;
  }
});
