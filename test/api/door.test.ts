import { expect } from 'chai';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectOverTls } from 'node:tls';
import { z } from 'zod';
import { createDoor, type DoorConnection } from '../../api/http/door.ts';
import { anyone } from '../../api/http/guards.ts';
import { createPlainRequestReader } from '../../api/http/plainRequest.ts';
import { route } from '../../api/http/route.ts';
import { startTestServer, until } from '../support/http.ts';
import { openssl, skipWithoutOpenssl } from '../support/openssl.ts';

describe('A request read at the door', () => {
  const read = createPlainRequestReader();
  const ask = (text: string) => read(Buffer.from(text, 'latin1'));
  const host = 'Host: a\r\n';

  it('is read with its body, and whether it is the last', () => {
    const post = `POST /x HTTP/1.1\r\n${host}Content-Length: 3\r\n\r\na\nb`;
    expect(ask(post)).to.deep.equal({
      ...{ method: 'POST', target: '/x', body: Buffer.from('a\nb') },
      headers: Object.assign(Object.create(null), { host: 'a', 'content-length': '3' }) as object,
      isLast: false,
    });
    const last = [
      [`GET /x/y HTTP/1.1\r\n${host}\r\n`, false],
      [`GET /x/y HTTP/1.1\r\n${host}Connection: Close\r\n\r\n`, true],
      ['GET /x/y HTTP/1.0\r\nAccept: */*\r\n\r\n', true],
      ['GET /x/y HTTP/1.0\r\nconnection: keep-alive\r\n\r\n', false],
    ] as const;
    for (const [text, isLast] of last) expect(ask(text)?.isLast, text).to.equal(isLast);
  });

  it('is left to Node where two readers could disagree, or anything decides how it is answered', () => {
    const left = [
      `POST /x HTTP/1.1\r\n${host}Content-Length: 3\r\n\r\nab`,
      `POST /x HTTP/1.1\r\n${host}Content-Length: 3\r\n\r\nabcd`,
      `POST /x HTTP/1.1\r\n${host}Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc`,
      `POST /x HTTP/1.1\r\n${host}Content-Length: +3\r\n\r\nabc`,
      `POST /x HTTP/1.1\r\n${host}Content-Length: 3, 3\r\n\r\nabc`,
      `POST /x HTTP/1.1\r\n${host}Content-Length : 3\r\n\r\nabc`,
      `POST /x HTTP/1.1\r\n${host} Content-Length: 3\r\n\r\nabc`,
      `POST /x HTTP/1.1\n${host}Content-Length: 3\r\n\r\nabc`,
      `POST /x HTTP/1.1\r\nHost: a\nX: b\r\nContent-Length: 3\r\n\r\nabc`,
      `POST /x HTTP/1.1\r\n${host}X: a\rb\r\nContent-Length: 3\r\n\r\nabc`,
      `POST /x HTTP/1.1\r\n${host}X: a\0b\r\nContent-Length: 3\r\n\r\nabc`,
      `POST /x HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `POST /x HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc`,
      `POST /x HTTP/1.1\r\n${host}Connection: upgrade\r\nUpgrade: h2c\r\n\r\n`,
      `POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc`,
      `POST /x HTTP/1.1\r\n${host}Host: b\r\n\r\n`,
      `POST http://a/x HTTP/1.1\r\n${host}\r\n`,
      `PUT /x HTTP/1.1\r\n${host}\r\n`,
      `POST /x HTTP/2.0\r\n${host}\r\n`,
      `GET /x HTTP/1.1\r\n${host}If-None-Match: "a"\r\n\r\n`,
      `GET /x HTTP/1.1\r\n${host}\r\nGET /x HTTP/1.1\r\n${host}\r\n`,
      `GET /x HTTP/1.1\r\n${host}X: ${'a'.repeat(4096)}\r\n\r\n`,
      `GET /${'x'.repeat(2048)} HTTP/1.1\r\n${host}\r\n`,
      `GET /x HTTP/1.1\r\n${host}`,
      '\r\n\r\n',
      '',
    ];
    for (const text of left) expect(ask(text), JSON.stringify(text)).to.equal(null);
  });

  it('is found odd in a time that grows with its length only', () => {
    const odd = (blanks: number) =>
      `GET /x HTTP/1.1\r\n${host}X:${' '.repeat(blanks)}\u0080\r\n\r\n`;
    expect(ask(odd(1000))).to.equal(null);
    const before = process.cpuUsage();
    for (let round = 0; round < 300; round += 1) ask(odd(700 + round));
    // Each would take more than a millisecond if blanks could be divided in many ways.
    const { user } = process.cpuUsage(before);
    expect(user / 1000).to.be.below(150);
  });
});

describe('The door', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  /** A door that answers `known` and `last`; Node answers the rest with the body's length. */
  async function open(patienceMs = { first: 60_000, next: 60_000 }) {
    const inside: string[] = [];
    const owed: { readonly connection: DoorConnection; readonly answer: () => void }[] = [];
    const server = createServer((request, response) => {
      inside.push(request.url ?? '');
      request.resume().on('end', () => response.end('from inside'));
    });
    server.on('clientError', (error: { code?: string }, socket) => {
      socket.end(`clientError ${String(error.code)}`);
    });
    const door = createDoor(server, {
      opened: 'connection',
      patienceMs,
      take: (bytes, connection) => {
        const isLast = bytes.includes('last');
        const answer = {
          text: 'at the door\u00ff\n',
          encoding: 'latin1',
          body: null,
          isLast,
        } as const;
        if (bytes.includes('later')) {
          owed.push({ connection, answer: () => connection.answer(answer) });
          return 'promised';
        }
        return isLast || bytes.includes('known') ? answer : null;
      },
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    door.start();
    const stop = async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      door.stop();
      await closed;
    };
    stops.push(async () => {
      if (server.listening) await stop();
    });
    const dial = async (allowHalfOpen = false) => {
      const { port } = server.address() as AddressInfo;
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
      const heard = { text: '', isClosed: false };
      socket.on('data', (bytes: Buffer) => (heard.text += bytes.toString('latin1')));
      socket.on('close', () => (heard.isClosed = true));
      await once(socket, 'connect');
      return { socket, heard };
    };
    const connections = () =>
      new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
    return { inside, owed, door, stop, dial, connections };
  }

  it('answers what it can, again and again, and lets the connection in with the rest', async () => {
    const { inside, dial } = await open();
    const { socket, heard } = await dial();
    socket.write('known');
    await until(() => heard.text === 'at the door\u00ff\n');
    socket.write('known');
    await until(() => heard.text === 'at the door\u00ff\n'.repeat(2));
    expect(inside).to.deep.equal([]);
    socket.write('GET /a HTTP/1.1\r\nHost');
    socket.write(': a\r\n\r\n');
    await until(() => heard.text.endsWith('from inside'));
    heard.text = '';
    socket.write('GET /known HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => heard.text.endsWith('from inside'));
    expect(inside).to.deep.equal(['/a', '/known']);
    socket.destroy();
  });

  it('ends the connection after the last answer, and when the other side does', async () => {
    const { dial } = await open();
    const first = await dial();
    first.socket.write('last');
    await until(() => first.heard.isClosed);
    expect(first.heard.text).to.equal('at the door\u00ff\n');
    const second = await dial();
    second.socket.end('known');
    await until(() => second.heard.isClosed);
    expect(second.heard.text).to.equal('at the door\u00ff\n');
  });

  it('does not wait for ever for a request', async () => {
    const { dial } = await open({ first: 60, next: 120 });
    const silent = await dial();
    const kept = await dial();
    kept.socket.write('known');
    await until(() => silent.heard.isClosed && kept.heard.isClosed);
    expect(silent.heard.text).to.equal('clientError ERR_HTTP_REQUEST_TIMEOUT');
    expect(kept.heard.text).to.equal('at the door\u00ff\n');
  });

  it('survives who breaks off on being told that nothing was asked', async () => {
    const { dial, connections } = await open({ first: 30, next: 30 });
    const { socket } = await dial();
    socket.once('data', () => socket.resetAndDestroy());
    await once(socket, 'close');
    await until(() => socket.destroyed);
    const { socket: other, heard } = await dial();
    other.write('known');
    await until(() => heard.text !== '');
    other.destroy();
    while ((await connections()) > 0) await new Promise(setImmediate);
  });

  it('does nothing for who has had the last answer', async () => {
    const { inside, owed, dial } = await open();
    const { socket, heard } = await dial();
    socket.write('later');
    await until(() => owed.length === 1);
    const body = Buffer.alloc(30_000_000, 'x');
    socket.pause();
    owed[0]?.connection.answer({ text: 'long', encoding: 'latin1', body, isLast: true });
    socket.write('GET /more HTTP/1.1\r\nHost: a\r\n\r\n');
    const { socket: after } = await dial();
    after.write('known');
    await once(after, 'data');
    socket.resume();
    await until(() => heard.isClosed);
    expect([inside, heard.text.length]).to.deep.equal([[], body.length + 4]);
    after.destroy();
  });

  it('lets go of a connection whose other side never ends it', async () => {
    const { dial, connections } = await open({ first: 60, next: 0 });
    const { socket, heard } = await dial(true);
    socket.write('known');
    await until(() => heard.text !== '');
    expect(await connections()).to.equal(1);
    const deadline = performance.now() + 5_000;
    while ((await connections()) > 0) {
      expect(performance.now()).to.be.below(deadline);
      await new Promise(setImmediate);
    }
    socket.destroy();
  });

  it('answers later what it promised, and lets in with what came before that', async () => {
    const { inside, owed, dial } = await open();
    const { socket, heard } = await dial();
    socket.write('later');
    await until(() => owed.length === 1);
    socket.write('GET /early HTTP/1.1\r\nHo');
    socket.write('st: a\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([inside, heard.text]).to.deep.equal([[], '']);
    owed[0]?.answer();
    await until(() => heard.text.endsWith('from inside'));
    expect(heard.text).to.match(/^at the door\u00ff\nHTTP/);
    expect(inside).to.deep.equal(['/early']);
    socket.destroy();
  });

  it('stops reading what comes by the megabyte before an answer, and goes on after it', async () => {
    const { inside, owed, dial } = await open();
    const { socket, heard } = await dial();
    socket.write('later');
    await until(() => owed.length === 1);
    const body = 'a'.repeat(8_000_000);
    socket.write(
      `POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await until(() => owed[0]?.connection.socket.isPaused() === true);
    expect(socket.writableLength).to.be.above(0);
    owed[0]?.answer();
    await until(() => heard.text.endsWith('from inside'));
    expect(inside).to.deep.equal(['/early']);
    socket.destroy();
  });

  it('tells who promised an answer when nobody waits for it any more', async () => {
    const { owed, dial, connections } = await open();
    for (const leave of ['end', 'destroy'] as const) {
      const { socket } = await dial();
      socket.write('later');
      await until(() => owed.length === 1);
      const [one] = owed.splice(0);
      let told = 0;
      if (one) one.connection.answerer = { connectionClosed: () => (told += 1) };
      socket[leave]();
      await until(() => told === 1);
      one?.answer();
    }
    expect(await connections()).to.equal(0);
  });

  it('has patience with who waits for an answer, however long', async () => {
    const { owed, dial } = await open({ first: 30, next: 30 });
    const { socket, heard } = await dial();
    socket.write('later');
    const silent = await dial();
    await until(() => silent.heard.isClosed);
    expect(heard.isClosed).to.equal(false);
    owed[0]?.answer();
    await until(() => heard.text !== '' && heard.isClosed);
    socket.destroy();
  });

  it('lets those who are owed an answer have it before a stop, until they are cut off', async () => {
    const { owed, door, stop, dial } = await open();
    const [answered, never] = [await dial(), await dial()];
    for (const { socket } of [answered, never]) socket.write('later');
    await until(() => owed.length === 2);
    const stopped = stop();
    owed[0]?.connection.answer({ text: 'bye', encoding: 'utf8', body: null, isLast: true });
    await until(() => answered.heard.isClosed);
    expect([answered.heard.text, never.heard.isClosed]).to.deep.equal(['bye', false]);
    door.cutOff();
    await stopped;
    await until(() => never.heard.isClosed);
  });

  it('keeps no stop waiting: silent, kept and half-read connections are ended', async () => {
    const { dial, stop } = await open();
    const others = [await dial(), await dial(), await dial()];
    others[1]?.socket.write('known');
    others[2]?.socket.write('GET /a HT');
    await until(() => others[1]?.heard.text !== '');
    await stop();
    await until(() => others.every(({ heard }) => heard.isClosed));
  });
});

describe('An answer given at the door', () => {
  const nothing = z.object({});
  const row = route({
    name: 'prepared',
    summary: 'Has one answer at hand.',
    method: 'POST',
    path: '/prepared',
    hot: true,
    countedOnly: true,
    guard: anyone,
    params: nothing,
    query: nothing,
    body: null,
    atHand: ({ rawBody }) =>
      rawBody.toString() === 'known'
        ? {
            status: 200,
            headers: ['content-type', 'text/plain', 'cache-control', 'max-age=60'],
            text: 'prepared\u00ff',
          }
        : null,
    handle: () => ({ body: Buffer.from('made') }),
  });

  async function exchange(origin: string, text: string): Promise<string> {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    socket.write(text);
    let heard = '';
    for await (const bytes of socket) heard += (bytes as Buffer).toString('latin1');
    return heard;
  }

  it('carries what the same answer carries from inside, and counts', async () => {
    const { server, origin, metrics } = await startTestServer([row]);
    const fields = ['Host: a', 'Content-Length: 5', 'Connection: close'];
    const request = (...more: readonly string[]) =>
      [`POST /prepared HTTP/1.1`, ...fields, ...more, '', 'known'].join('\r\n');
    const [head = '', body] = (await exchange(origin, request())).split('\r\n\r\n');
    const [other = '', same] = (await exchange(origin, request('TE: trailers'))).split('\r\n\r\n');
    const named = (text: string) =>
      text
        .toLowerCase()
        .replaceAll(/^(date|x-request-id): .*$/gm, '$1')
        .split('\r\n')
        .sort();
    expect(named(head)).to.deep.equal(named(other));
    expect(head).to.match(/^x-request-id: [0-9a-f-]{36}$/m);
    expect([body, same]).to.deep.equal(['prepared\u00ff', 'prepared\u00ff']);
    const counted = { method: 'POST', route: '/prepared', status: 200 };
    expect(metrics.state.served).to.deep.equal([counted, counted]);
    await server.stop(100);
  });

  it('is given behind TLS too, and the rest from inside, on one connection', async function () {
    await skipWithoutOpenssl(this);
    const { server, origin } = await startTestServer([row], { tls: await selfSigned() });
    const port = Number(new URL(origin).port);
    const socket = connectOverTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    let heard = '';
    socket.on('data', (bytes: Buffer) => (heard += bytes.toString('latin1')));
    const send = (body: string) =>
      socket.write(`POST /prepared HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n${body}`);
    send('known');
    await until(() => heard.endsWith('prepared\u00ff'));
    expect(heard).to.match(/^strict-transport-security: /m);
    for (const body of ['other', 'third']) {
      heard = '';
      send(body);
      await until(() => heard.endsWith('made'));
    }
    socket.destroy();
    await server.stop(100);
  });

  it('keeps no stop waiting for a handshake that ends after it', async function () {
    await skipWithoutOpenssl(this);
    const { server, origin } = await startTestServer([row], { tls: await selfSigned() });
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    await once(socket, 'connect');
    const overTls = connectOverTls({ socket, rejectUnauthorized: false });
    // The server has begun to answer, the client has not seen it yet.
    const stopped = server.stop(100);
    await once(overTls, 'close');
    await stopped;
  });

  it('is not given under overload', async () => {
    const limits = { maxInFlight: 0, maxEventLoopDelayMs: 1000 };
    const { server, origin, metrics } = await startTestServer([row], { limits });
    const request = 'POST /prepared HTTP/1.0\r\nContent-Length: 5\r\n\r\nknown';
    expect(await exchange(origin, request)).to.match(/^HTTP\/1\.1 503 /);
    expect(metrics.state.shed).to.equal(1);
    await server.stop(100);
  });
});

describe('A request served at the door', () => {
  const nothing = z.object({});
  const waiting: { readonly gone: () => void }[] = [];
  const hot = {
    ...{ summary: 'Is asked often.', hot: true, guard: anyone, params: nothing, query: nothing },
  };
  const rows = [
    route({
      ...{ ...hot, name: 'echo', method: 'POST', path: '/echo', maxBodyBytes: 40 },
      body: z.object({ name: z.string() }),
      handle: ({ body, context: { ip, target, requestId } }) => ({
        body: { ...body, ip, target, requestId },
      }),
    }),
    route({
      ...{ ...hot, name: 'large', method: 'GET', path: '/large', body: null },
      handle: () => ({ body: Buffer.alloc(20_000, 'x'), contentType: 'text/plain' }),
    }),
    route({
      ...{ ...hot, name: 'small', method: 'GET', path: '/small', body: null },
      handle: () => ({ body: Buffer.from('\u0431'), contentType: 'text/plain' }),
    }),
    route({
      ...{ ...hot, name: 'wait', method: 'GET', path: '/wait', body: null },
      handle: ({ context }) =>
        new Promise((resolve) => {
          const end = () => resolve({ body: { waited: true } });
          context.onGone(end);
          waiting.push({ gone: end });
        }),
    }),
  ];
  /** A field that Node alone reads: the same request, not at the door. */
  const odd = 'TE: trailers\r\n';

  async function asked(origin: string, text: string) {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    socket.write(text);
    const pieces: Buffer[] = [];
    for await (const bytes of socket) pieces.push(bytes as Buffer);
    const [head = '', body = ''] = Buffer.concat(pieces).toString('utf8').split('\r\n\r\n');
    const lines = head
      .toLowerCase()
      .replaceAll(/^date: .*$/gm, 'date')
      .split('\r\n');
    return { status: lines[0], lines: lines.slice(1).sort(), body };
  }

  it('is answered as from inside, refusals too', async () => {
    const { server, origin, metrics, log } = await startTestServer(rows);
    const head = 'Host: a\r\nConnection: close\r\nX-Request-Id: 12345678\r\n';
    const post = (body: string, type = 'application/json') =>
      `POST /echo?a=b HTTP/1.1\r\n${head}Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    const requests: readonly (readonly [string, string, number])[] = [
      [post('{"name":"\u0431"}'), '{"name":"\u0431"}', 200],
      [post('{"name":1}'), '{"name":1}', 400],
      [post('{"name":'), '{"name":', 400],
      [post('x', 'text/plain'), 'x', 415],
      [post(`{"name":"${'x'.repeat(40)}"}`), `{"name":"${'x'.repeat(40)}"}`, 413],
      [`GET /large HTTP/1.1\r\n${head}`, '', 200],
      [`GET /small HTTP/1.1\r\n${head}`, '', 200],
      [`GET /echo HTTP/1.1\r\n${head}`, '', 405],
      [`GET /nowhere HTTP/1.1\r\n${head}`, '', 404],
    ];
    for (const [fields, body, status] of requests) {
      const atDoor = await asked(origin, `${fields}\r\n${body}`);
      const inside = await asked(origin, `${fields}${odd}\r\n${body}`);
      expect(atDoor, fields).to.deep.equal(inside);
      expect(atDoor.status).to.contain(` ${status} `);
    }
    const twice = (all: readonly object[]) => all.filter((_, at) => at % 2 === 0);
    const others = (all: readonly object[]) => all.filter((_, at) => at % 2 === 1);
    expect(twice(metrics.state.served)).to.deep.equal(others(metrics.state.served));
    expect(metrics.state.served).to.have.lengthOf(2 * requests.length);
    const logged = log.lines.map(({ fields }) => ({
      ...{ ...fields, durationMs: 0 },
    }));
    expect(twice(logged)).to.deep.equal(others(logged));
    await server.stop(100);
  });

  it('is answered 500 when a header would end its line, as from inside', async () => {
    const bad = route({
      ...{ ...hot, name: 'bad', method: 'GET', path: '/bad', body: null },
      handle: () => ({ headers: { 'x-bad': 'a\r\nx-more: b' } }),
    });
    const { server, origin } = await startTestServer([bad]);
    const head = 'GET /bad HTTP/1.1\r\nHost: a\r\nConnection: close\r\n';
    for (const fields of ['', odd]) {
      const { status, lines } = await asked(origin, `${head}${fields}\r\n`);
      expect(status).to.contain(' 500 ');
      expect(lines.join()).not.to.contain('x-more');
    }
    await server.stop(100);
  });

  it('ends when its caller leaves, and is released by a stop', async () => {
    const { server, origin, metrics } = await startTestServer(rows);
    const request = 'GET /wait HTTP/1.1\r\nHost: a\r\n\r\n';
    const leaving = connect(Number(new URL(origin).port), '127.0.0.1');
    leaving.write(request);
    await until(() => waiting.length === 1);
    expect(metrics.state.inFlight).to.equal(1);
    leaving.destroy();
    await until(() => metrics.state.served.length === 1);
    expect(metrics.state.served).to.deep.equal([{ method: 'GET', route: '/wait', status: 499 }]);
    const staying = asked(origin, request);
    await until(() => waiting.length === 2);
    await server.stop();
    const { status, lines, body } = await staying;
    expect([status, body]).to.deep.equal(['http/1.1 200 ok', '{"waited":true}']);
    expect(lines).to.include('connection: close');
  });
});

describe('A connection let in at the door', () => {
  it('ends its work before a stop, announced with Expect or not', async () => {
    let finish: (() => void) | undefined;
    const slow = route({
      name: 'slow',
      summary: 'Takes its time.',
      method: 'POST',
      path: '/slow',
      guard: anyone,
      params: z.object({}),
      query: z.object({}),
      body: null,
      handle: () =>
        new Promise<{ body: Buffer }>((resolve) => {
          finish = () => resolve({ body: Buffer.from('done') });
        }),
    });
    const { server, origin } = await startTestServer([slow]);
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    let heard = '';
    socket.on('data', (bytes: Buffer) => (heard += bytes.toString('latin1')));
    socket.write(
      'POST /slow HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n',
    );
    await until(() => heard.startsWith('HTTP/1.1 100 '));
    socket.write('x');
    await until(() => finish !== undefined);
    const stopped = server.stop();
    finish?.();
    await stopped;
    await until(() => heard.endsWith('\r\n\r\ndone'));
  });

  it('is closed after a refusal, whether the other side ends it or not', async () => {
    const { server, origin } = await startTestServer([]);
    const { port } = new URL(origin);
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    socket.write('not HTTP\r\n\r\n');
    await once(socket.resume(), 'end');
    const startedAt = performance.now();
    await server.stop(40_000);
    expect(performance.now() - startedAt).to.be.below(30_000);
    socket.destroy();
  });
});

async function selfSigned(): Promise<{ readonly key: string; readonly cert: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'tamga-door-'));
  const [keyPath, certPath] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  await openssl(
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-keyout', keyPath, '-out', certPath, '-days', '1', '-subj', '/CN=localhost'],
  );
  const [key, cert] = [await readFile(keyPath, 'utf8'), await readFile(certPath, 'utf8')];
  await rm(directory, { recursive: true });
  return { key, cert };
}
