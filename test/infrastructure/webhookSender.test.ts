import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { verifyWebhook } from '../../client/webhooks.ts';
import { isPublic } from '../../infrastructure/webhooks/addressGuard.ts';
import { newWebhookKey } from '../../infrastructure/webhooks/standardWebhooks.ts';
import {
  createSetSender,
  createWebhookSender,
  type WebhookSenderOptions,
} from '../../infrastructure/webhooks/webhookSender.ts';
import { systemClock } from '../../infrastructure/system.ts';

describe('The sender of events', () => {
  const servers: Server[] = [];
  const keys = [newWebhookKey()];
  const body = JSON.stringify({ type: 'device.ended', timestamp: '2026-06-01', data: {} });

  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** @returns address of a receiver */
  async function receiver(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return `http://localhost:${(server.address() as AddressInfo).port}/events`;
  }

  const send = (address: string, options: Partial<WebhookSenderOptions> = {}) =>
    createWebhookSender({
      clock: systemClock,
      reachesPrivateNetworks: true,
      resolve: () => Promise.resolve(['127.0.0.1']),
      timeoutMs: 5_000,
      ...options,
    })({ id: 'msg_1', address, body }, keys);

  it('posts what the client library verifies', async () => {
    const received: { readonly request: IncomingMessage; readonly body: string }[] = [];
    const address = await receiver((request, response) => {
      void text(request).then((got) => {
        received.push({ request, body: got });
        response.writeHead(204).end();
      });
    });
    expect(await send(address)).to.deep.equal({ kind: 'TAKEN' });
    const [{ request, body: got } = expect.fail('Nothing came.')] = received;
    expect([request.method, request.url]).to.deep.equal(['POST', '/events']);
    const { secret, publicKey } = keys[0] ?? expect.fail();
    for (const key of [secret, publicKey]) {
      const event = verifyWebhook({ body: got, headers: request.headers, keys: key });
      expect(event).to.include({ id: 'msg_1', type: 'device.ended' });
    }
  });

  it('does not follow a redirect', async () => {
    let asked = 0;
    const elsewhere = await receiver((_request, response) => {
      asked += 1;
      response.end();
    });
    for (const status of [301, 302, 303, 307, 308]) {
      const address = await receiver((_request, response) => {
        response.writeHead(status, { location: elsewhere }).end();
      });
      expect(await send(address)).to.deep.equal({
        kind: 'REFUSED',
        reason: `HTTP ${status}: redirects are not followed.`,
      });
    }
    expect(asked).to.equal(0);
  });

  it('does not wait for the end of a body', async () => {
    const address = await receiver((_request, response) => {
      response.writeHead(200);
      const pour = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        if (!response.destroyed) response.once('drain', pour);
      };
      pour();
    });
    expect(await send(address)).to.deep.equal({ kind: 'TAKEN' });
  });

  it('gives up on a receiver that does not answer, or begins to for ever', async () => {
    const reason = 'No answer within 0.1 s.';
    const silent = await receiver(() => undefined);
    expect(await send(silent, { timeoutMs: 100 })).to.deep.equal({ kind: 'UNREACHABLE', reason });
    const trickling = await receiver((request) => {
      const { socket } = request;
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x: y\r\n'), 5);
      socket.once('close', () => clearInterval(timer));
    });
    const outcome = await send(trickling, { timeoutMs: 100 });
    expect(outcome.kind).to.equal('UNREACHABLE');
  });

  it('gives up on a name that is not resolved in time, or not at all', async () => {
    const never = () => new Promise<never>(() => undefined);
    const address = 'http://rp.example/';
    const late = await send(address, { timeoutMs: 50, resolve: never });
    expect(late).to.deep.equal({ kind: 'UNREACHABLE', reason: 'No answer within 0.05 s.' });
    const fails = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    expect(await send(address, { resolve: fails })).to.deep.equal({
      kind: 'UNREACHABLE',
      reason: 'No connection (ENOTFOUND).',
    });
  });

  it('tells apart what is about the message, an overload, and the end of the address', async () => {
    const statuses = [200, 202, 400, 401, 404, 410, 429, 500, 502, 503, 504];
    const kinds: (readonly [number, string])[] = [];
    for (const status of statuses) {
      const address = await receiver((_request, response) => response.writeHead(status).end());
      kinds.push([status, (await send(address)).kind]);
    }
    expect(kinds).to.deep.equal([
      [200, 'TAKEN'],
      [202, 'TAKEN'],
      [400, 'REFUSED'],
      [401, 'REFUSED'],
      [404, 'REFUSED'],
      [410, 'GONE'],
      [429, 'UNREACHABLE'],
      [500, 'REFUSED'],
      [502, 'UNREACHABLE'],
      [503, 'UNREACHABLE'],
      [504, 'UNREACHABLE'],
    ]);
  });

  it('stays out of private networks, whether an address says so or a name leads there', async () => {
    let asked = 0;
    const address = await receiver((_request, response) => {
      asked += 1;
      response.end();
    });
    const { port } = new URL(address);
    const reason = 'The address belongs to a private network.';
    const refused = { kind: 'UNREACHABLE', reason };
    const guarded = (url: string, ...addresses: string[]) =>
      send(url, { reachesPrivateNetworks: false, resolve: () => Promise.resolve(addresses) });
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1']) {
      expect(await guarded(`http://${host}:${port}/`), host).to.deep.equal(refused);
    }
    expect(await guarded(address, '127.0.0.1')).to.deep.equal(refused);
    expect(await guarded(address, '198.41.0.4', '127.0.0.1')).to.deep.equal(refused);
    expect(asked).to.equal(0);
  });

  it('pushes security event tokens under the same guard, of an endless answer the status alone', async () => {
    const deliver = createSetSender({ reachesPrivateNetworks: true, timeoutMs: 5_000 });
    const received: IncomingMessage[] = [];
    const endpointUrl = await receiver((request, response) => {
      received.push(request);
      response.writeHead(202).write('{');
    });
    const pushed = { endpointUrl, authorizationHeader: null };
    expect(await deliver('a.b.c', pushed)).to.deep.equal({ kind: 'TAKEN' });
    expect(received[0]?.headers['content-type']).to.equal('application/secevent+jwt');
    expect(received[0]?.headers).not.to.have.property('authorization');
    const guarded = createSetSender({
      reachesPrivateNetworks: false,
      resolve: () => Promise.resolve(['127.0.0.1']),
    });
    expect(await guarded('a.b.c', pushed)).to.deep.equal({
      kind: 'UNREACHABLE',
      reason: 'The address belongs to a private network.',
    });
    expect(received).to.have.length(1);
  });

  it('knows what is public', () => {
    const closed = [
      ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.31.255.255'],
      ...['192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '::', '::1', 'fe80::1'],
      ...['fc00::1', 'ff02::1', '::ffff:8.8.8.8', '64:ff9b::a00:1', '2001:db8::1', '2002:7f00::1'],
    ];
    expect(closed.filter(isPublic)).to.deep.equal([]);
    const open = ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'];
    expect(open.filter((each) => !isPublic(each))).to.deep.equal([]);
  });
});
