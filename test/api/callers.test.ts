import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { z } from 'zod';
import { type Called, createCallerReader } from '../../api/bounds/caller.ts';
import { createOperatorGuards } from '../../api/admin/guard.ts';
import { anyone, bearerToken } from '../../api/http/handling.ts';
import { type Guard, type RequestContext, route } from '../../api/http/route.ts';
import { issue } from '../client/support.ts';
import { startTestServer } from '../support/http/http.ts';
import { createMemoryAttemptLimits, systemClock } from '../../infrastructure/system.ts';

const nothing = z.object({});

function shows<Principal>(
  guard: Guard<Principal>,
  body: (principal: Principal, context: RequestContext) => object,
) {
  return route({
    name: 'shown',
    summary: 'Shows who calls.',
    method: 'POST',
    path: '/shown',
    guard,
    params: nothing,
    query: nothing,
    body: null,
    handle: ({ principal, context }) => ({ body: body(principal, context) }),
  });
}

describe('Callers', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  async function serve(...[routes, options]: Parameters<typeof startTestServer>) {
    const { server } = await startTestServer(routes, options);
    stops.push(() => server.stop());
    return server.address();
  }

  /** Sends headers as they stand, repeated ones too. */
  async function ask(port: number, headers: readonly string[]) {
    const sent = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/shown',
      setHost: false,
    });
    for (const name of new Set(headers.filter((_, index) => index % 2 === 0))) {
      const values = headers.filter((_, index) => headers[index - 1] === name && index % 2 === 1);
      sent.setHeader(name, values);
    }
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, body: JSON.parse(await text(response)) as unknown };
  }

  describe('F13: the header with the client certificate', () => {
    let pem: string;
    let victim: string;

    before(async () => {
      pem = `${(await issue({ name: 'Own' })).pem}\n`;
      victim = `${(await issue({ name: 'Victim' })).pem}\n`;
    });

    async function certificateOf(...values: readonly string[]) {
      const { port } = await serve(
        [shows(anyone, (_, { clientCertificate: certificate }) => ({ certificate }))],
        { caller: { trustProxy: ['127.0.0.0/8'], clientCertificateHeader: 'X-Cert' } },
      );
      const sent = values.flatMap((value) => ['x-cert', value]);
      return (await ask(port, ['host', 'localhost', ...sent])).body;
    }

    it('is believed when it occurs once, with one certificate', async () => {
      const fingerprint256 = new X509Certificate(pem).fingerprint256.replaceAll(':', '');
      const certificate = fingerprint256.toLowerCase();
      expect(await certificateOf(encodeURIComponent(pem))).to.deep.equal({ certificate });
    });

    it('is not believed when it occurs twice', async () => {
      const [first, second] = [victim, pem].map(encodeURIComponent);
      const none = { certificate: null };
      expect(await certificateOf(first ?? '', second ?? '')).to.deep.equal(none);
      expect(await certificateOf('ab'.repeat(32), 'cd'.repeat(32))).to.deep.equal(none);
    });

    it('is not believed with more than one certificate', async () => {
      const both = encodeURIComponent(victim + pem);
      expect(await certificateOf(both)).to.deep.equal({ certificate: null });
    });
  });

  describe('the client certificate itself', () => {
    /** A request over TLS. */
    const over = (remoteAddress: string, header?: string) =>
      ({
        socket: {
          remoteAddress,
          encrypted: true,
          authorized: false,
          getPeerCertificate: () => ({ raw: Buffer.from('of the connection') }),
        },
        headers: {},
        headersDistinct: header === undefined ? {} : { 'x-cert': [header] },
      }) as unknown as Called;
    const options = { trustProxy: ['192.0.2.1'], clientCertificateHeader: 'X-Cert' };
    const read = (called: Called, verifiedOnly = false) => {
      const found = createCallerReader(options, verifiedOnly).wholeCertificate(called);
      return found === null ? null : Buffer.from(found).toString();
    };

    it("is that of the caller's own connection, verified where that is asked", () => {
      expect(read(over('198.51.100.7'))).to.equal('of the connection');
      expect(read(over('198.51.100.7'), true)).to.equal(null);
      expect(read(over('198.51.100.7', 'anything'))).to.equal('of the connection');
    });

    it('is never that of a proxy, nor a fingerprint', async () => {
      expect(read(over('192.0.2.1'))).to.equal(null);
      expect(read(over('192.0.2.1', 'ab'.repeat(32)))).to.equal(null);
      const { pem } = await issue({ name: 'Own' });
      const { raw } = new X509Certificate(pem);
      expect(read(over('192.0.2.1', encodeURIComponent(pem)))).to.equal(raw.toString());
    });
  });

  describe('F14: requests written unusually', () => {
    it('are never accepted where the parser of Node.js refuses them, as there is no other', async () => {
      const { port } = await serve([shows(anyone, () => ({}))]);
      const bare = createServer((_, response) => response.end());
      bare.listen(0, '127.0.0.1');
      await once(bare, 'listening');
      stops.push(async () => {
        bare.close();
        await once(bare, 'close');
      });
      for (const header of [
        ...[
          'Content-Length: 1\t',
          'Content-Length:\t1',
          'Content-Length: 1, 1',
          'Content-Length: +1',
        ],
        ...[
          'Content-Length : 1',
          'Content-Length: 1\r\nContent-Length: 1',
          'Transfer-Encoding: chunked\t',
        ],
        ...['Connection: close\t', '__proto__: a', 'A: b\r\n c', 'A: b\nC: d', 'A: \u0000'],
      ]) {
        const statusAt = async (at: number) => {
          const socket = connect(at, '127.0.0.1');
          const head = ['POST /shown HTTP/1.1', 'Host: localhost', 'Connection: close', header];
          socket.write(`${head.join('\r\n')}\r\n\r\n0\r\n\r\n`);
          return /^HTTP\/1\.1 (\d+)/.exec(await text(socket))?.[1];
        };
        const expected = await statusAt((bare.address() as AddressInfo).port);
        const accepted = expected === '200' ? ['200', '400'] : [expected];
        expect(await statusAt(port), JSON.stringify(header)).to.be.oneOf(accepted);
      }
    });
  });

  describe('F15: the operator API of the development profile, open to all', () => {
    const guards = createOperatorGuards({
      findSession: () => Promise.resolve(null),
      adminKey: null,
      breakGlass: {
        used: () => Promise.resolve(),
        refused: () => undefined,
        throttled: () => undefined,
      },
      keyLimit: createMemoryAttemptLimits(),
      clock: systemClock,
      openToAll: true,
    });

    async function statusOf(headers: readonly string[]) {
      const { port } = await serve([
        shows(guards.withCapability('audit:read'), ({ id }) => ({ id })),
      ]);
      return (await ask(port, headers)).status;
    }

    it('admits programs and pages of this machine', async () => {
      for (const host of ['localhost', '127.0.0.1:8080', '[::1]:8080', 'LOCALHOST:8080']) {
        expect(await statusOf(['host', host]), host).to.equal(200);
      }
      expect(await statusOf(['host', 'localhost', 'origin', 'http://localhost:5173'])).to.equal(
        200,
      );
    });

    it('refuses a foreign name that leads here, and what another site sends', async () => {
      for (const headers of [
        ['host', 'evil.example'],
        ['host', 'localhost.evil.example:8080'],
        ['host', 'localhost', 'origin', 'https://evil.example'],
        ['host', 'localhost', 'origin', 'null'],
        ['host', 'localhost', 'sec-fetch-site', 'cross-site'],
      ]) {
        expect(await statusOf(headers), headers.join(' ')).to.equal(403);
      }
    });
  });

  describe('F16: repeated headers that identify', () => {
    const secret = shows(
      { description: 'holder of a secret', check: (context) => bearerToken(context) },
      (principal) => ({ principal }),
    );

    it('are refused: Authorization', async () => {
      const { port } = await serve([secret]);
      const once = ['host', 'localhost', 'authorization', 'Bearer one'];
      expect(await ask(port, once)).to.deep.include({ status: 200, body: { principal: 'one' } });
      expect((await ask(port, [...once, 'authorization', 'Bearer two'])).status).to.equal(401);
    });

    it('are refused: Host', async () => {
      const { port } = await serve([secret]);
      const socket = connect(port, '127.0.0.1');
      const lines = ['Host: localhost', 'Authorization: Bearer one', 'host: evil.example'];
      socket.write(`POST /shown HTTP/1.1\r\nConnection: close\r\n${lines.join('\r\n')}\r\n\r\n`);
      const answer = await text(socket);
      expect(answer).to.match(/^HTTP\/1\.1 400 /);
      expect(answer).to.contain('#/header/host');
    });
  });
});
