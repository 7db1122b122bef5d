import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { anyone } from '../../api/http/handling.ts';
import { type Route, route } from '../../api/http/route.ts';
import type { ApiServer, ApiServerOptions } from '../../api/server.ts';
import { createConsoleService } from '../../main/composition/console.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { startTestServer, until } from '../support/http/http.ts';

const bodyOf = async (stream: AsyncIterable<unknown>) => {
  await buffer(stream as AsyncIterable<Uint8Array>);
  return { status: 200 };
};

const post = (path: string, more: Partial<Route> = {}): Route =>
  route({
    name: path.slice(1),
    summary: 'For tests.',
    method: 'POST',
    path,
    guard: anyone,
    maxBodyBytes: 1024 * 1024,
    handle: () => ({ status: 200 }),
    ...more,
  });

/** Each way in which a body is read. */
const routes = [
  post('/plain'),
  post('/new', { underLoad: 'refuseFirst' }),
  post('/cached', { cachedResponse: () => null }),
  post('/guarded', { guardBeforeBody: true }),
  post('/streamed', {
    streamsBody: true,
    handle: ({ context }) => bodyOf(context.openBody()),
  }),
];
const mounts = [
  {
    paths: ['/mounted'],
    listener: (...[request, response]: Parameters<Parameters<typeof createServer>[1] & object>) => {
      bodyOf(request).then(
        () => response.end(),
        () => response.destroy(),
      );
    },
  },
];
const paths = [...routes.map(({ path }) => path), '/mounted'];

describe('N13: Bodies that have not arrived', () => {
  const servers: ApiServer[] = [];
  const sockets: Socket[] = [];

  async function serve(options: Partial<ApiServerOptions> = {}) {
    const started = await startTestServer(routes, { mounts, ...options });
    servers.push(started.server);
    return started;
  }

  /** Sends the head of a request and a part of its body. @param from address of the sender */
  async function half(
    origin: string,
    path: string,
    { from = '127.0.0.1', more = '', of = 1000 } = {},
  ) {
    const socket = connect({
      port: Number(new URL(origin).port),
      host: '127.0.0.1',
      localAddress: from,
    });
    sockets.push(socket);
    const state = { socket, heard: '', isClosed: false };
    socket.on('data', (bytes: Buffer) => (state.heard += bytes.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => (state.isClosed = true));
    await once(socket, 'connect');
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${more}Content-Length: ${of}\r\n\r\n{`,
    );
    return state;
  }

  const whole = async (origin: string, path: string) =>
    (await fetch(`${origin}${path}`, { method: 'POST', body: '{}' })).status;

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(servers.splice(0).map((server) => server.stop(100)));
  });

  for (const path of paths) {
    it(`are no work: ${path}`, async () => {
      const { origin, metrics } = await serve({
        limits: { maxInFlight: 1, maxEventLoopDelayMs: 10_000 },
      });
      const held = [];
      for (let each = 0; each < 5; each += 1) held.push(await half(origin, path));
      for (const asked of paths) expect(await whole(origin, asked), asked).to.equal(200);
      expect(held.map(({ isClosed }) => isClosed)).to.not.include(true);
      for (const { socket } of held) socket.write(' '.repeat(998) + '}');
      for (const state of held) await until(() => state.heard.includes('HTTP/1.1 '));
      await until(() => metrics.state.inFlight === 0);
    });

    it(`end after a time: ${path}`, async () => {
      const { origin, metrics } = await serve({
        bodies: { total: 100, perAddress: 100, timeoutMs: 100 },
      });
      const late = await half(origin, path);
      await until(() => late.isClosed);
      if (path !== '/mounted') {
        expect(late.heard).to.match(/^HTTP\/1\.1 408 [^]*\r\nconnection: close\r\n/i);
        expect(late.heard).to.include('did not arrive in time');
        expect(metrics.state.served.map(({ status }) => status)).to.deep.equal([408]);
      }
      await until(() => metrics.state.served.length === 1);
      expect(metrics.state.inFlight).to.equal(0);
    });
  }

  it('of refused requests end, too', async () => {
    const { origin } = await serve({ bodies: { total: 100, perAddress: 100, timeoutMs: 100 } });
    const refused = await half(origin, '/nowhere');
    await until(() => refused.isClosed);
    expect(refused.heard).to.match(/^HTTP\/1\.1 404 /);
  });

  it('have longer while a large one goes on arriving', async () => {
    const { origin } = await serve({ bodies: { total: 100, perAddress: 100, timeoutMs: 300 } });
    const of = 1_000_000;
    const large = await half(origin, '/guarded', { of });
    large.socket.write(' '.repeat(of - 3));
    const small = await half(origin, '/guarded');
    await until(() => small.isClosed);
    expect(large.isClosed).to.equal(false);
    large.socket.write(' }');
    await until(() => large.heard.startsWith('HTTP/1.1 200'));
  });

  it('are so many of one address: the oldest gives way', async () => {
    const { origin } = await serve({ bodies: { total: 100, perAddress: 2 } });
    const [first, second] = [await half(origin, '/plain'), await half(origin, '/plain')];
    const other = await half(origin, '/plain', { from: '127.0.4.1' });
    await half(origin, '/plain');
    await until(() => first.isClosed);
    expect(first.heard).to.match(/^HTTP\/1\.1 429 [^]*SVC_MAX_UNFINISHED_BODIES_PER_ADDRESS/);
    expect([second.isClosed, other.isClosed]).to.deep.equal([false, false]);
    expect(await whole(origin, '/plain')).to.equal(200);
  });

  it('are counted by the address that a trusted proxy names, and not of the proxy itself', async () => {
    const { origin } = await serve({
      bodies: { total: 100, perAddress: 1 },
      caller: { trustProxy: ['127.0.0.0/8'], clientCertificateHeader: null },
    });
    const by = (address: string) =>
      half(origin, '/plain', { more: `X-Forwarded-For: ${address}\r\n` });
    const first = await by('192.0.2.1');
    const others = [
      await by('192.0.2.2'),
      await half(origin, '/plain'),
      await half(origin, '/plain'),
    ];
    await by('192.0.2.1');
    await until(() => first.isClosed);
    expect(others.map(({ isClosed }) => isClosed)).to.deep.equal([false, false, false]);
  });

  it('are so many in all: the oldest of the address with most gives way', async () => {
    const { origin } = await serve({ bodies: { total: 3, perAddress: 100 } });
    const patient = await half(origin, '/plain', { from: '127.0.4.1' });
    const [first, second] = [await half(origin, '/plain'), await half(origin, '/plain')];
    await half(origin, '/plain', { from: '127.0.4.2' });
    await until(() => first.isClosed);
    expect(first.heard).to.match(/^HTTP\/1\.1 503 [^]*OVERLOADED/);
    expect([patient.isClosed, second.isClosed]).to.deep.equal([false, false]);
  });

  it('hold room for large bodies only as far as they came', async () => {
    const large = post('/large', { guardBeforeBody: true, maxBodyBytes: 100 * 1024 * 1024 });
    const started = await startTestServer([large]);
    servers.push(started.server);
    const { origin } = started;
    for (let each = 0; each < 3; each += 1) await half(origin, '/large', { of: 40 * 1024 * 1024 });
    expect(await whole(origin, '/large')).to.equal(200);
    const body = Buffer.alloc(10 * 1024 * 1024);
    expect((await fetch(`${origin}/large`, { method: 'POST', body })).status).to.equal(200);
  });

  it('end at the console, too', async () => {
    const api = createServer((_, response) => response.end());
    api.listen(0, '127.0.0.1');
    await once(api, 'listening');
    const console = createConsoleService(
      readConfig({
        SVC_PROFILE: 'development',
        SVC_ROLES: 'console',
        SVC_CONSOLE_PORT: '0',
        SVC_CONSOLE_HOSTS: 'a',
        SVC_CONSOLE_UPSTREAM: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
        SVC_LOG_LEVEL: 'silent',
        SVC_MAX_UNFINISHED_BODIES_PER_ADDRESS: '1',
      }),
    );
    await console.start();
    try {
      const more = 'Origin: http://a\r\n';
      const first = await half(console.origin ?? '', '/v3/admin/auth/login', { more });
      const second = await half(console.origin ?? '', '/v3/admin/auth/login', { more });
      await until(() => first.isClosed);
      expect(first.heard).to.match(/^HTTP\/1\.1 429 /);
      expect(second.isClosed).to.equal(false);
    } finally {
      for (const socket of sockets) socket.destroy();
      await console.stop();
      api.close();
    }
  });
});

describe('N13: The defaults', () => {
  it('leave one address hundreds of connections and bodies', () => {
    const config = readConfig({ SVC_PROFILE: 'development' });
    expect(config.SVC_MAX_CONNECTIONS_PER_ADDRESS).to.be.within(100, 1000);
    expect(config.SVC_MAX_UNFINISHED_BODIES_PER_ADDRESS).to.be.at.most(
      config.SVC_MAX_IN_FLIGHT / 10,
    );
  });
});
