import { connect } from 'node:net';
import { readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Route } from '../../api/http/route.ts';
import { encodeTimestampRequest } from '../../infrastructure/timestamping/timestampMessages.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { openOcspRequests } from '../support/installation/ocspStatus.ts';

interface Row {
  readonly address: string;
  readonly method: string;
  readonly sent: string;
  readonly status: number;
  readonly mediaType: string;
  readonly header: string;
}

/** Rows of the table of docs/endpoints.md. */
function documentedRows(): readonly Row[] {
  const lines = readFileSync('docs/endpoints.md', 'utf8').split('\n');
  return lines
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim().replaceAll('`', ''));
      const [, address = '', method = '', sent = '', status, mediaType = '', header = ''] = cells;
      return { address, method, sent, status: Number(status), mediaType, header };
    });
}

/** Sends text as it is and reads until the server closes. */
async function raw(origin: string, text: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.write(text);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

describe('F8: endpoints answer as their standards say', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let requests: Readonly<Record<string, Buffer>>;

  before(async () => {
    demo = await startDemoInstallation();
    requests = {
      '/ocsp': (await openOcspRequests(demo.service.origin))('00c0ffee'),
      '/tsa': encodeTimestampRequest({
        hash: 'SHA256',
        digest: randomBytes(32),
        policy: null,
        nonce: null,
        certificateWanted: true,
      }),
    };
  });

  after(() => demo.stop());

  function bodyOf({ address, sent }: Row): { readonly type?: string; readonly body?: Buffer } {
    const [, type, text = ''] = /^([^:]+): ?(.*)$/.exec(sent) ?? [];
    if (type === undefined) return {};
    if (text === '<request>') return { type, body: requests[address] ?? Buffer.alloc(0) };
    return { type, body: text === '<der>' ? Buffer.from('3003020101', 'hex') : Buffer.from(text) };
  }

  async function send(row: Row): Promise<Response> {
    const { type, body } = bodyOf(row);
    const encoded = requests['/ocsp']?.toString('base64') ?? '';
    const path = row.address.replace('<request>', encodeURIComponent(encoded));
    return fetch(demo.service.origin + path, {
      method: row.method,
      redirect: 'manual',
      headers: type === undefined ? {} : { 'content-type': type },
      ...(body === undefined ? {} : { body }),
    });
  }

  for (const row of documentedRows()) {
    it(`${row.method} ${row.address} ${row.sent}: ${row.status}`, async () => {
      const response = await send(row);
      const text = await response.text();
      expect(response.status, text).to.equal(row.status);
      expect(response.headers.get('content-type')?.split(';')[0] ?? '').to.equal(row.mediaType);
      const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(row.header) ?? [];
      if (name === 'www-authenticate') expect(response.headers.get(name)).to.match(/^Bearer\b/);
      else if (name !== '') expect(response.headers.get(name)).to.equal(value);
      expect(response.headers.get('x-request-id')).to.be.a('string');
      expect(response.headers.get('x-trace-id')).to.match(/^[0-9a-f]{32}$/);
      if (row.method === 'HEAD') expect(text).to.equal('');
    });
  }

  it('every endpoint of the discovery documents has rows', async () => {
    const documented = new Set(documentedRows().map(({ address }) => address));
    for (const path of ['openid-configuration', 'oauth-authorization-server']) {
      const response = await fetch(`${demo.service.origin}/.well-known/${path}`);
      const metadata = (await response.json()) as Readonly<Record<string, unknown>>;
      const named = Object.entries(metadata)
        .filter(([name]) => name.endsWith('_endpoint') || name === 'jwks_uri')
        .map(([, address]) => new URL(String(address)).pathname);
      expect(named).not.to.deep.equal([]);
      for (const address of named) expect(documented).to.include(address);
    }
  });

  it('errors of endpoints for programs are OAuth errors', async () => {
    const response = await fetch(`${demo.service.origin}/oidc/token`);
    expect(await response.json()).to.include({ error: 'invalid_request' });
  });

  it('CORS preflights of endpoints for programs are answered by the provider', async () => {
    for (const path of ['token', 'userinfo', 'jwks', 'par', 'revoke', 'introspect']) {
      const response = await fetch(`${demo.service.origin}/oidc/${path}`, {
        method: 'OPTIONS',
        headers: { origin: 'https://rp.example.mn', 'access-control-request-method': 'POST' },
      });
      expect(response.status, path).to.equal(204);
      expect(response.headers.get('access-control-allow-methods'), path).to.be.a('string');
    }
  });

  /** Routes by the address a request would name, with all methods it takes. */
  function walked(): ReadonlyMap<string, readonly Route[]> {
    const { routes } = demo.service;
    const addresses = new Map<string, readonly Route[]>();
    for (const { path } of routes) {
      const address = path.replaceAll(/[:*]\w+/g, '00000000-0000-4000-8000-000000000000');
      const matching = routes.filter((route) => isAt(route, address));
      addresses.set(address, matching);
    }
    return addresses;
  }

  function isAt({ path }: Route, address: string): boolean {
    const pattern = path.replaceAll(/:\w+/g, '[^/]+').replaceAll(/\*\w+/g, '.+');
    return new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('\\.+', '.+')}$`).test(address);
  }

  it('every address refuses other methods with 405 and all it takes in Allow', async () => {
    for (const [address, routes] of walked()) {
      const methods = new Set<string>(routes.map(({ method }) => method));
      if (methods.has('GET')) methods.add('HEAD');
      const allow = [...methods, 'OPTIONS'].sort().join(', ');
      const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'];
      for (const method of others.filter((each) => !methods.has(each))) {
        const response = await fetch(demo.service.origin + address, { method });
        expect(response.status, `${method} ${address}`).to.equal(405);
        expect(response.headers.get('allow'), `${method} ${address}`).to.equal(allow);
      }
      const options = await fetch(demo.service.origin + address, { method: 'OPTIONS' });
      expect([options.status, options.headers.get('allow')], address).to.deep.equal([204, allow]);
      expect(options.headers.get('x-request-id'), address).to.be.a('string');
    }
  });

  it('HEAD answers what GET answers, without the body', async () => {
    for (const [address, routes] of walked()) {
      if (!routes.some(({ method }) => method === 'GET')) continue;
      // One after the other: a caller has a bounded number of exports at once.
      const head = await fetch(demo.service.origin + address, { method: 'HEAD' });
      expect(await head.text(), address).to.equal('');
      const get = await fetch(demo.service.origin + address);
      await get.arrayBuffer();
      expect(head.status, address).to.equal(get.status);
      expect(head.headers.get('content-type'), address).to.equal(get.headers.get('content-type'));
    }
  });

  it('every JSON address refuses another media type with 415 and Accept', async () => {
    for (const { body, method, path, guard } of demo.service.routes) {
      if (body === null || method === 'GET' || guard.security !== undefined) continue;
      const address = path.replaceAll(/[:*]\w+/g, '00000000-0000-4000-8000-000000000000');
      const response = await fetch(demo.service.origin + address, {
        method,
        headers: { 'content-type': 'text/csv' },
        body: 'a,b',
      });
      expect(response.status, `${method} ${path}`).to.equal(415);
      expect(response.headers.get('accept'), `${method} ${path}`).to.be.a('string');
    }
  });

  it('methods unknown to HTTP and CONNECT are 501, other versions 505', async () => {
    const { origin } = demo.service;
    const answers: readonly (readonly [string, string])[] = [
      ['FROB /livez HTTP/1.1\r\nHost: x\r\n\r\n', '501'],
      ['CONNECT example.mn:443 HTTP/1.1\r\nHost: example.mn:443\r\n\r\n', '501'],
      ['GET /livez HTTP/3.0\r\nHost: x\r\n\r\n', '505'],
      ['\0\x01 garbage\r\n\r\n', '400'],
      ['TRACE /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', '405'],
      ['OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', '204'],
    ];
    for (const [text, status] of answers) {
      expect((await raw(origin, text)).split(' ')[1], text).to.equal(status);
    }
  });

  it('an absolute request target is served like a relative one', async () => {
    const { origin } = demo.service;
    for (const path of ['/livez', '/oidc/jwks']) {
      const text = `GET http://id.example.mn${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      expect(await raw(origin, text), path).to.match(/^HTTP\/1\.1 200 /);
    }
  });
});
