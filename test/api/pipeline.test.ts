import { expect } from 'chai';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { z } from 'zod';
import { anyone } from '../../api/http/handling.ts';
import { problems } from '../../api/problems/problems.ts';
import { type Reply, type Route, route } from '../../api/http/route.ts';
import type { ApiServerOptions } from '../../api/server.ts';
import { NotYetShown, Overloaded, Unavailable } from '../../application/ports/faults.ts';
import { Refusal, refusalCodes } from '../../domain/shared/refusal.ts';
import { until } from '../support/assertions/waiting.ts';
import { startTestServer } from '../support/http/http.ts';

const nothing = z.object({});

function echo(path: string): Route {
  return route({
    name: 'echo',
    summary: 'Says back what it was told.',
    method: 'POST',
    path,
    guard: anyone,
    params: z.object({ id: z.string() }),
    query: z.object({ n: z.coerce.number().int().optional() }),
    body: z.object({ text: z.string().max(100), 'a/b~c': z.number().optional() }),
    maxBodyBytes: 1000,
    handle: ({ params, query, body }) => ({ body: { ...params, ...query, ...body } }),
  });
}

function get(path: string, handle: Route['handle'], more: Partial<Route> = {}): Route {
  return route({
    name: path,
    summary: path,
    method: 'GET',
    path,
    guard: anyone,
    params: nothing,
    query: nothing,
    body: null,
    handle,
    ...more,
  });
}

/** A handler that waits until its caller or the server gives up. */
function waiting(onWaiting: () => void): Route['handle'] {
  return ({ context }) =>
    new Promise<Reply>((resolve) => {
      context.onGone(() => resolve({ body: { state: 'RUNNING' } }));
      onWaiting();
    });
}

describe('The HTTP pipeline', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  async function serve(routes: readonly Route[], options: Partial<ApiServerOptions> = {}) {
    const started = await startTestServer(routes, options);
    stops.push(() => started.server.stop(100));
    return started;
  }

  const json = { 'content-type': 'application/json' };

  const post = async (
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = json,
  ) => {
    const { origin } = await serve([echo('/echo/:id')]);
    const response = await fetch(`${origin}/echo/%D1%83%D0%BA?n=3`, {
      method: 'POST',
      headers,
      body,
    });
    return { response, answer: (await response.json()) as Record<string, unknown> };
  };

  it('hands the parsed parts to the handler and its reply to the caller', async () => {
    const { response, answer } = await post('{"text":"x","unknown":1}');
    expect(response.status).to.equal(200);
    expect(answer).to.deep.equal({ id: 'ук', n: 3, text: 'x' });
    expect(response.headers.get('content-type')).to.equal('application/json');
    expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
    expect(response.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
  });

  it('echoes a sane request id and replaces another', async () => {
    const kept = await post('{"text":"x"}', { ...json, 'x-request-id': 'abc-12345.x' });
    expect(kept.response.headers.get('x-request-id')).to.equal('abc-12345.x');
    const replaced = await post('{"text":"x"}', { ...json, 'x-request-id': 'a b' });
    expect(replaced.response.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
  });

  it('answers with the trace of the caller, or with one made of the request id', async () => {
    const traceIn = async (headers: Record<string, string>) => {
      const { response } = await post('{"text":"x"}', { ...json, ...headers });
      const requestId = response.headers.get('x-request-id') ?? '';
      return { traceId: response.headers.get('x-trace-id'), requestId };
    };
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const { traceId } = await traceIn({ traceparent: `00-${trace}-00f067aa0ba902b7-01` });
    expect(traceId).to.equal(trace);
    const own = await traceIn({});
    expect(own.traceId).to.equal(own.requestId.replaceAll('-', ''));
    for (const traceparent of [
      `ff-${trace}-00f067aa0ba902b7-01`,
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      `00-${trace}-${'0'.repeat(16)}-01`,
      `00-${trace}\u00e4`,
    ]) {
      const other = await traceIn({ traceparent, 'x-request-id': 'abc-12345.x' });
      expect(other.traceId, traceparent)
        .to.match(/^[0-9a-f]{32}$/)
        .and.not.equal(trace);
    }
  });

  it('points at every fault of the body', async () => {
    const { response, answer } = await post('{"text":1,"a/b~c":"x"}');
    expect(response.status).to.equal(400);
    expect(response.headers.get('content-type')).to.equal('application/problem+json');
    expect(answer).to.include({ code: 'INVALID_REQUEST', status: 400 });
    expect(answer['instance']).to.equal(response.headers.get('x-request-id'));
    expect(answer['error']).to.equal(answer['detail']);
    const pointers = (answer['errors'] as { pointer: string }[]).map(({ pointer }) => pointer);
    expect(pointers).to.have.members(['/text', '/a~1b~0c']);
  });

  const refused: readonly [string, string | Uint8Array<ArrayBuffer>, number, string][] = [
    ['no body', '', 400, ''],
    ['the literal null', 'null', 400, ''],
    ['broken JSON', '{', 400, ''],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400, ''],
    ['a raw NUL byte', '{"text":"\0"}', 400, ''],
    ['an escaped NUL', '{"text":"a\\u0000"}', 400, '/text'],
    ['half of a surrogate pair', '{"text":"\\uD83d"}', 400, '/text'],
    ['deep nesting', `{"text":${'['.repeat(40)}${']'.repeat(40)}}`, 400, ''],
    ['UTF-16', Buffer.from('{"text":"x"}', 'utf16le'), 400, ''],
  ];
  for (const [what, body, status, pointer] of refused) {
    it(`refuses ${what} with a pointer`, async () => {
      const { response, answer } = await post(body);
      expect(response.status).to.equal(status);
      expect((answer['errors'] as { pointer: string }[])[0]?.pointer).to.equal(pointer);
    });
  }

  it('takes an escaped backslash before u0000 for what it is', async () => {
    const { answer } = await post('{"text":"\\\\u0000"}');
    expect(answer['text']).to.equal('\\u0000');
  });

  it('is not touched by prototype keys', async () => {
    const { answer } = await post('{"text":"x","__proto__":{"polluted":1},"text":"y"}');
    expect(answer).to.deep.equal({ id: 'ук', n: 3, text: 'y' });
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
  });

  for (const [name, value, detail] of [
    ['content-type', 'text/plain', 'Use application/json.'],
    [
      'content-type',
      'application/json; charset=utf-16',
      'Send the body in UTF-8, with no other parameter than charset=utf-8.',
    ],
    ['content-encoding', 'gzip', 'Send the body without a content encoding.'],
  ] as const) {
    it(`refuses ${name} ${value}, and says which`, async () => {
      const { response, answer } = await post('{"text":"x"}', { ...json, [name]: value });
      expect(response.status).to.equal(415);
      expect(answer['detail']).to.equal(detail);
    });
  }

  it('refuses an announced body that is too large without reading it', async () => {
    const { origin } = await serve([echo('/echo/:id')]);
    const sent = httpRequest(`${origin}/echo/1`, {
      method: 'POST',
      headers: { ...json, 'content-length': '100000000' },
    });
    sent.flushHeaders();
    sent.on('error', () => undefined);
    const [response] = (await once(sent, 'response')) as [{ statusCode: number }];
    expect(response.statusCode).to.equal(413);
    sent.destroy();
  });

  it('refuses a chunked body as soon as it is too large', async () => {
    const { origin } = await serve([echo('/echo/:id')]);
    const sent = httpRequest(`${origin}/echo/1`, { method: 'POST', headers: json });
    sent.on('error', () => undefined);
    sent.write('"'.padEnd(600, 'x'));
    sent.write('y'.repeat(600));
    const [response] = (await once(sent, 'response')) as [{ statusCode: number }];
    expect(response.statusCode).to.equal(413);
    sent.destroy();
  });

  it('answers malformed percent-encoding in path and query with a pointer', async () => {
    const { origin } = await serve([echo('/echo/:id')]);
    for (const [path, pointer] of [
      ['/echo/%ff', '#/path'],
      ['/echo/%E0%A4%A', '#/path'],
      ['/echo/a%00b', '#/path/id'],
      ['/echo/a?n=%ff', '#/query'],
      ['/echo/a?n=1&n=2', '#/query/n'],
      ['/echo/a?n=x', '#/query/n'],
    ] as const) {
      const response = await fetch(origin + path, {
        method: 'POST',
        headers: json,
        body: '{"text":"x"}',
      });
      expect(response.status, path).to.equal(400);
      const { errors } = (await response.json()) as { errors: { pointer: string }[] };
      expect(errors[0]?.pointer, path).to.equal(pointer);
    }
  });

  it('does not wait for a connection that has asked for nothing yet', async () => {
    const { server } = await serve([]);
    const { port } = server.address();
    const socket = connect(port, '127.0.0.1');
    const closed = once(socket, 'close');
    await once(socket, 'connect');
    await fetch(`${server.address().origin}/`);
    const begun = performance.now();
    await server.stop(40_000);
    expect(performance.now() - begun).to.be.below(30_000);
    await closed;
  });

  it('waits without counting as work, and is released with its answer by a shutdown', async () => {
    let entered: () => void = () => undefined;
    const isWaiting = new Promise<void>((resolve) => (entered = resolve));
    const { origin, server, metrics } = await serve([
      get(
        '/wait',
        waiting(() => entered()),
      ),
    ]);
    const answer = fetch(`${origin}/wait`);
    await isWaiting;
    await fetch(`${origin}/nowhere`);
    expect(metrics.state.inFlight).to.equal(0);
    const stopped = server.stop(5_000);
    const response = await answer;
    expect(response.status).to.equal(200);
    expect(await response.json()).to.deep.equal({ state: 'RUNNING' });
    await stopped;
  });

  it('tells a waiting handler that its caller is gone, and counts it so', async () => {
    let entered: () => void = () => undefined;
    const isWaiting = new Promise<void>((resolve) => (entered = resolve));
    let left: () => void = () => undefined;
    const isGone = new Promise<void>((resolve) => (left = resolve));
    const { origin, metrics } = await serve([
      get(
        '/wait',
        ({ context }) =>
          new Promise<Reply>((resolve) => {
            context.onGone(() => {
              resolve({});
              left();
            });
            entered();
          }),
      ),
    ]);
    const caller = new AbortController();
    fetch(`${origin}/wait`, { signal: caller.signal }).catch(() => undefined);
    await isWaiting;
    caller.abort();
    await isGone;
    await new Promise(setImmediate);
    expect(metrics.state.served.map(({ status }) => status)).to.deep.equal([499]);
  });

  it('answers HEAD as GET without the body', async () => {
    const { origin } = await serve([get('/thing', () => ({ body: { a: 1 } }))]);
    const response = await fetch(`${origin}/thing`, { method: 'HEAD' });
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-length')).to.equal('7');
    expect(await response.text()).to.equal('');
  });

  it('does not mind a JSON content type or a null body where no body is wanted', async () => {
    const thing = get('/thing', () => ({ body: { a: 1 } }));
    const { origin } = await serve([
      thing,
      { ...thing, name: 'p', method: 'POST' },
      { ...thing, name: 'd', method: 'DELETE' },
    ]);
    for (const method of ['GET', 'POST', 'DELETE']) {
      const bare = await fetch(`${origin}/thing`, { method, headers: json });
      expect(bare.status, method).to.equal(200);
      if (method === 'GET') continue;
      const withNull = await fetch(`${origin}/thing`, { method, headers: json, body: 'null' });
      expect(withNull.status, method).to.equal(200);
    }
  });

  it('discloses the cause of a failure to the log only', async () => {
    const { origin, log } = await serve([
      get('/broken', () => Promise.reject(new Error('the password is hunter'))),
    ]);
    const response = await fetch(`${origin}/broken`);
    expect(response.status).to.equal(500);
    const text = await response.text();
    expect(text).not.to.include('hunter');
    const line = log.lines.find(({ level }) => level === 'error');
    expect(line?.fields['requestId']).to.equal(response.headers.get('x-request-id'));
    expect((line?.fields['err'] as Error).message).to.include('hunter');
  });

  it('answers a command that is done but not shown yet with 202 and Retry-After', async () => {
    const { origin } = await serve([
      get('/late', () => Promise.reject(new NotYetShown(new Unavailable('database')))),
    ]);
    const response = await fetch(`${origin}/late`);
    expect(response.status).to.equal(202);
    expect(response.headers.get('retry-after')).to.equal('2');
    expect(await response.json()).to.include({ status: 'ACCEPTED', code: 'NOT_YET_SHOWN' });
  });

  it('answers outages and overload with 503 and Retry-After', async () => {
    const { origin } = await serve([
      get('/away', () => Promise.reject(new Unavailable('database'))),
      get('/busy', () => Promise.reject(new Overloaded('appends'))),
    ]);
    for (const [path, code] of [
      ['/away', 'DEPENDENCY_UNAVAILABLE'],
      ['/busy', 'OVERLOADED'],
    ] as const) {
      const response = await fetch(origin + path);
      expect(response.status).to.equal(503);
      expect(Number(response.headers.get('retry-after'))).to.be.greaterThan(0);
      expect(((await response.json()) as { code: string }).code).to.equal(code);
    }
  });

  it('refuses work beyond what may be in flight, new work first, health never', async () => {
    let finish: (reply: Reply) => void = () => undefined;
    const slow = new Promise<Reply>((resolve) => (finish = resolve));
    const { origin, metrics } = await serve(
      [
        get('/slow', () => slow),
        get('/new', () => ({}), { underLoad: 'refuseFirst' }),
        get('/poll', () => ({})),
        get('/livez', () => ({}), { underLoad: 'alwaysServe' }),
      ],
      { limits: { maxInFlight: 2, maxEventLoopDelayMs: 10_000 } },
    );
    const status = async (path: string) => (await fetch(origin + path)).status;
    const running = [1, 2, 3].map(() => fetch(`${origin}/slow`));
    await until(() => metrics.state.inFlight >= 3);
    expect(await status('/new')).to.equal(503);
    expect(await status('/poll')).to.equal(200);
    running.push(fetch(`${origin}/slow`));
    await until(() => metrics.state.inFlight >= 4);
    expect(await status('/poll')).to.equal(503);
    expect(await status('/livez')).to.equal(200);
    expect(metrics.state.shed).to.equal(2);
    finish({});
    await Promise.all(running);
  });

  it('logs method, pattern and status, and nothing of the request itself', async () => {
    const { origin, log, metrics } = await serve([echo('/echo/:id')]);
    await fetch(`${origin}/echo/secret1?n=7777`, {
      method: 'POST',
      headers: { ...json, authorization: 'Bearer secret2' },
      body: '{"text":"secret3"}',
    });
    const lines = JSON.stringify(log.lines);
    expect(lines).not.to.match(/secret|7777/);
    expect(log.lines[0]?.fields).to.include({
      method: 'POST',
      route: '/echo/:id',
      status: 200,
    });
    expect(metrics.state.served).to.deep.equal([
      { method: 'POST', route: '/echo/:id', status: 200 },
    ]);
  });

  it('has handed over every request of a relying party when it has stopped', async () => {
    const noted: unknown[] = [];
    const actorOf = () => ({ kind: 'relyingParty' as const, id: 'a party' });
    const { origin, server } = await serve(
      [get('/things', () => ({ body: {} }), { guard: { ...anyone, actorOf } })],
      { onRelyingPartyRequest: ({ actor }) => noted.push(actor) },
    );
    await fetch(`${origin}/things`);
    await server.stop(100);
    expect(noted).to.deep.equal([actorOf()]);
  });

  it('O7: refuses everything but health while its clock is wrong, and serves again when it is right', async () => {
    let isFit = false;
    const health = { ...get('/livez', () => ({ body: {} })), underLoad: 'alwaysServe' as const };
    const { origin } = await serve([get('/a', () => ({ body: {} })), health], {
      limits: { maxInFlight: 10, maxEventLoopDelayMs: 10_000, isFit: () => isFit },
    });
    const refused = await fetch(`${origin}/a`);
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '2']);
    expect((await fetch(`${origin}/livez`)).status).to.equal(200);
    isFit = true;
    expect((await fetch(`${origin}/a`)).status).to.equal(200);
  });

  it('O2: refuses everything but health, and routes that say so themselves, while a restore is not accepted', async () => {
    let [isOpen, isSettled] = [false, false];
    const answering = (path: string) => get(path, () => ({ body: {} }));
    const health = { ...answering('/livez'), underLoad: 'alwaysServe' as const };
    const status = { ...answering('/ocsp'), whileClosed: 'serve' as const };
    const login = { ...answering('/login'), whileClosed: 'serveOnceSettled' as const };
    const { origin } = await serve([answering('/a'), health, status, login], {
      limits: {
        maxInFlight: 10,
        maxEventLoopDelayMs: 10_000,
        isOpen: () => isOpen,
        isSettled: () => isSettled,
      },
    });
    const asked = async () =>
      Promise.all(
        ['/a', '/livez', '/ocsp', '/login'].map(
          async (path) => (await fetch(origin + path)).status,
        ),
      );
    expect(await asked()).to.deep.equal([503, 200, 200, 503]);
    isSettled = true;
    expect(await asked()).to.deep.equal([503, 200, 200, 200]);
    isOpen = true;
    isSettled = false;
    expect(await asked()).to.deep.equal([200, 200, 200, 200]);
  });

  it('answers an unknown path with 404 and a known one with 405 and Allow', async () => {
    const { origin, metrics } = await serve([get('/a', () => ({})), get('/b/:id', () => ({}))]);
    const missing = await fetch(`${origin}/c`);
    expect(missing.status).to.equal(404);
    expect(((await missing.json()) as { code: string }).code).to.equal('NOT_FOUND');
    for (const path of ['/a', '/b/1']) {
      const wrong = await fetch(origin + path, { method: 'PUT' });
      expect(wrong.status).to.equal(405);
      expect(wrong.headers.get('allow')).to.equal('GET, HEAD, OPTIONS');
      const asked = await fetch(origin + path, { method: 'OPTIONS' });
      expect(asked.status).to.equal(204);
      expect(asked.headers.get('allow')).to.equal('GET, HEAD, OPTIONS');
    }
    expect(metrics.state.served[0]?.route).to.equal('unmatched');
  });

  it('answers what is not HTTP with a problem', async () => {
    const { server } = await serve([]);
    const socket = connect(server.address().port, '127.0.0.1');
    socket.end('\0\x01 garbage\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text).to.match(/^HTTP\/1\.1 400 /);
    expect(text).to.include('INVALID_REQUEST');
  });

  it('answers a request without Host with a problem', async () => {
    const { server } = await serve([get('/fine', () => ({ body: {} }))]);
    for (const [version, status] of [
      ['1.1', 400],
      ['1.0', 200],
    ] as const) {
      const socket = connect(server.address().port, '127.0.0.1');
      socket.write(`GET /fine HTTP/${version}\r\nConnection: close\r\n\r\n`);
      let text = '';
      for await (const chunk of socket) text += String(chunk);
      expect(text).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(text.includes('#/header/host')).to.equal(status === 400);
    }
  });

  it('believes forwarded addresses and certificates of trusted proxies only', async () => {
    const who = get('/who', ({ context }) => ({
      body: { ip: context.ip, certificate: context.clientCertificate },
    }));
    const headers = {
      'x-forwarded-for': '9.9.9.9, 8.8.8.8, 127.0.0.1',
      'x-cert': 'AB:'.repeat(31) + 'AB',
    };
    const ask = async (trustProxy: string[], forwarded: string = headers['x-forwarded-for']) => {
      const { origin } = await serve([who], {
        caller: { trustProxy, clientCertificateHeader: 'X-Cert' },
      });
      const sent = { ...headers, 'x-forwarded-for': forwarded };
      return (await fetch(`${origin}/who`, { headers: sent })).json();
    };
    expect(await ask([])).to.deep.equal({ ip: '127.0.0.1', certificate: null });
    expect(await ask(['10.0.0.0/8'])).to.deep.equal({ ip: '127.0.0.1', certificate: null });
    expect(await ask(['127.0.0.0/8'])).to.deep.equal({
      ip: '8.8.8.8',
      certificate: 'ab'.repeat(32),
    });
    expect(await ask(['127.0.0.0/8'], '8.8.4.4:4711')).to.include({ ip: '8.8.4.4' });
    expect(await ask(['127.0.0.0/8'], '[2001:db8::1]:4711')).to.include({ ip: '2001:db8::1' });
  });

  /** Status line of what is answered to a request written by hand. */
  async function told(port: number, head: string, body = ''): Promise<string> {
    const socket = connect(port, '127.0.0.1');
    socket.setEncoding('utf8');
    socket.write(`${head}\r\nhost: x\r\nconnection: close\r\n\r\n${body}`);
    let answer = '';
    for await (const piece of socket) answer += piece as string;
    return answer.split('\r\n', 1)[0] ?? '';
  }

  describe('with targets as seldom sent', () => {
    const rows: readonly (readonly [string, string, number])[] = [
      ['an absolute one', 'GET http://x/echo', 200],
      ['an absolute one of another scheme', 'GET foo://x/elsewhere', 404],
      ['one without a path', 'GET foo://x', 404],
      ['the service as a whole', 'OPTIONS *', 204],
      ['the service as a whole, with a query', 'OPTIONS *?x', 204],
      ['a slash behind a path', 'GET /echo/', 200],
      ['two slashes behind a path', 'GET /echo//', 404],
    ];
    for (const [what, target, status] of rows) {
      it(`answers ${status} to ${what}`, async () => {
        const { server } = await serve([get('/echo', () => ({ body: {} }))]);
        expect(await told(server.address().port, `${target} HTTP/1.1`)).to.include(` ${status} `);
      });
    }
  });

  describe('with cached responses', () => {
    const prepared = {
      status: 200,
      headers: ['content-type', 'text/plain', 'cache-control', 'max-age=60'],
      text: 'prepared\u00ff',
    };
    const cachedRoute = route({
      name: 'prepared',
      summary: 'Has a prepared response for one body and computes all others.',
      method: 'POST',
      path: '/prepared',
      guard: anyone,
      params: nothing,
      query: nothing,
      body: null,
      maxBodyBytes: 1000,
      cachedResponse: ({ rawBody }) => (rawBody.toString() === 'known' ? prepared : null),
      handle: ({ context }) => ({ body: Buffer.from(`made for ${String(context.rawBody)}`) }),
    });
    const ask = (origin: string, body: string) =>
      fetch(`${origin}/prepared`, { method: 'POST', body });

    it('gives them with what every answer carries, and counts them', async () => {
      const served: number[] = [];
      const { origin } = await serve([cachedRoute], {
        metrics: {
          requestServed: (_method, _route, status) => served.push(status),
          inFlight: () => undefined,
          loadShed: () => undefined,
        },
      });
      const answer = await ask(origin, 'known');
      expect(Buffer.from(await answer.arrayBuffer()).toString('latin1')).to.equal(prepared.text);
      expect(answer.headers.get('cache-control')).to.equal('max-age=60');
      expect(answer.headers.get('content-length')).to.equal('9');
      expect(answer.headers.get('x-content-type-options')).to.equal('nosniff');
      expect(answer.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
      expect(served).to.deep.equal([200]);
    });

    it('builds the response where none is cached, from the body already read', async () => {
      const { origin } = await serve([cachedRoute]);
      expect(await (await ask(origin, 'other')).text()).to.equal('made for other');
      expect(await (await ask(origin, '')).text()).to.equal('made for ');
    });

    for (const [announced, body] of [
      ['transfer-encoding: chunked', '0\r\n\r\n'],
      ['content-length: 00', ''],
    ] as const) {
      it(`builds it for an announced body without bytes (${announced})`, async () => {
        const { server } = await serve([cachedRoute]);
        const head = `POST /prepared HTTP/1.1\r\n${announced}`;
        expect(await told(server.address().port, head, body)).to.equal('HTTP/1.1 200 OK');
      });
    }

    it('refuses a body that is too large, announced or not', async () => {
      const { origin } = await serve([cachedRoute]);
      expect((await ask(origin, 'x'.repeat(1001))).status).to.equal(413);
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(Buffer.alloc(600));
          controller.enqueue(Buffer.alloc(600));
          controller.close();
        },
      });
      const unannounced = { method: 'POST', body, duplex: 'half' } as RequestInit;
      expect((await fetch(`${origin}/prepared`, unannounced)).status).to.equal(413);
    });

    it('sheds load', async () => {
      const { origin } = await serve([cachedRoute], {
        limits: { maxInFlight: 0, maxEventLoopDelayMs: 1000 },
      });
      expect((await ask(origin, 'known')).status).to.equal(503);
    });
  });
});

describe('The problems table', () => {
  it('covers every code, with a client or server error and a sentence', () => {
    expect(Object.keys(problems)).to.have.members(refusalCodes);
    for (const { status, title, text } of Object.values(problems)) {
      expect(status).to.be.within(400, 599);
      expect(title).not.to.equal('');
      expect(text).to.match(/^[A-Z].*\.$/);
    }
  });

  it('says "represent" where a right to represent is missing and in no other 403', () => {
    for (const [code, { status, title, text }] of Object.entries(problems)) {
      if (status !== 403) continue;
      expect(/represent/i.test(title + text), code).to.equal(code.startsWith('REPRESENTATION_'));
    }
  });

  it('keeps the sentence of a 403 whatever the refusal adds', async () => {
    const { server, origin } = await startTestServer([
      get('/x', () => {
        throw new Refusal('PERMISSION_DENIED', { detail: 'You cannot represent anybody.' });
      }),
    ]);
    const text = await (await fetch(`${origin}/x`)).text();
    await server.stop(100);
    expect(text).not.to.include('represent');
  });
});
