import { readdirSync, readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { createRequire } from 'node:module';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { healthRoutes } from '../../api/platform/health.ts';
import { type Console, createConsoleService } from '../../main/composition/console.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { startTestServer } from '../support/http/http.ts';
import { freePort } from '../../main/drill/freePort.ts';

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Classes of the component library in a file. */
function libraryClasses(path: string): readonly string[] {
  return readFileSync(path, 'utf8').match(/\bm_[0-9a-f]{6,8}\b/g) ?? [];
}

describe("The console's pages", () => {
  let console: Console;

  before(async () => {
    console = createConsoleService(
      readConfig({
        SVC_PROFILE: 'development',
        SVC_ROLES: 'console',
        SVC_CONSOLE_PORT: '0',
        SVC_CONSOLE_UPSTREAM: 'http://127.0.0.1:9',
        SVC_LOG_LEVEL: 'silent',
        SVC_BRAND_NAME: 'Цахим <үнэмлэх>',
        SVC_BRAND_ACCENT: '#7a1f5c',
        SVC_BRAND_ACCENT_DARK: '#f0a8d8',
      }),
    );
    await console.start();
  });

  after(() => console.stop());

  /** The path goes over the wire as it is written. */
  function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> {
    const { hostname, port } = new URL(console.origin ?? '');
    return new Promise((resolve, reject) => {
      request({ hostname, port, path, method, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(chunks),
          }),
        );
      })
        .on('error', reject)
        .end();
    });
  }

  const scriptIn = ({ body }: Reply) =>
    /src="(\/assets\/[^"]+\.js)"/.exec(body.toString())?.[1] ?? '';

  it('are the same page for every address of one, with a policy and a nonce of its own', async () => {
    const [first, second] = [await get('/'), await get('/citizens/PNOMN-%D0%A3%D0%91?asOf=x')];
    for (const { status, headers } of [first, second]) {
      expect(status).to.equal(200);
      expect(headers).to.include({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
    }
    const nonceIn = ({ headers, body }: Reply) => {
      const policy = String(headers['content-security-policy']);
      const nonce = /style-src 'self' 'nonce-([\w+/=]+)'/.exec(policy)?.[1] ?? '';
      expect(policy).to.match(/^default-src 'none'; script-src 'self'; /);
      expect(policy).not.to.contain('unsafe');
      expect(policy).to.contain("require-trusted-types-for 'script'");
      expect(body.toString()).to.contain(`nonce="${nonce}"`).and.not.contain('__CSP_NONCE__');
      return nonce;
    };
    expect(nonceIn(first)).to.have.length.above(20).and.not.equal(nonceIn(second));
  });

  it("have the operator's names, colours and logo", async () => {
    const { headers, body } = await get('/');
    const text = body.toString();
    expect(text).to.contain('<title>Цахим &lt;үнэмлэх&gt;</title>');
    expect(text).to.contain('lang="en" content="Tamga"').and.not.contain('__NAME_');
    const [, nonce = ''] =
      /<style nonce="([^"]+)">\s*:root\{--accent:light-dark\(#7a1f5c,/.exec(text) ?? [];
    expect(headers['content-security-policy']).to.contain(`'nonce-${nonce}'`);
    for (const path of ['/favicon.ico', '/logo']) {
      const logo = await get(path);
      expect(logo.status, path).to.equal(200);
      expect(logo.headers, path).to.include({
        'content-type': 'image/svg+xml',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      });
    }
  });

  it('are compressed for callers that take it, each with its nonce', async () => {
    const packed = await get('/', { 'accept-encoding': 'gzip, br' });
    expect(packed.headers).to.include({ 'content-encoding': 'br', vary: 'accept-encoding' });
    const text = brotliDecompressSync(packed.body).toString();
    const [, nonce = 'none'] = /nonce="([^"]+)"/.exec(text) ?? [];
    expect(packed.headers['content-security-policy']).to.include(nonce);
    expect((await get('/')).headers['content-encoding']).to.equal(undefined);
  });

  it('name files that are kept for good, compressed, and not sent again', async () => {
    const path = scriptIn(await get('/'));
    const plain = await get(path);
    expect(plain.status).to.equal(200);
    expect(plain.headers).to.include({
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'accept-encoding',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const packed = await get(path, { 'accept-encoding': 'gzip, deflate, br' });
    expect(packed.headers['content-encoding']).to.equal('br');
    expect(brotliDecompressSync(packed.body).equals(plain.body)).to.equal(true);
    const older = await get(path, { 'accept-encoding': 'gzip, deflate' });
    expect(older.headers['content-encoding']).to.equal('gzip');
    expect(gunzipSync(older.body).equals(plain.body)).to.equal(true);
    const etags = [plain, packed, older].map(({ headers }) => headers.etag);
    expect(new Set(etags).size).to.equal(3);
    const known = { 'accept-encoding': 'br', 'if-none-match': String(packed.headers.etag) };
    expect((await get(path, known)).status).to.equal(304);

    const again = await get(path, { 'if-none-match': `"x", W/${String(plain.headers.etag)}` });
    expect([again.status, again.body.length]).to.deep.equal([304, 0]);
    expect((await get(path, { 'if-none-match': '"x"' })).status).to.equal(200);
    const head = await get(path, {}, 'HEAD');
    expect([head.status, head.body.length, head.headers['content-length']]).to.deep.equal([
      ...[200, 0, String(plain.body.length)],
    ]);
  });

  it('have the styles of every component they use', () => {
    const built = readdirSync('dist/console/assets');
    const classesIn = (ending: string) =>
      built
        .filter((name) => name.endsWith(ending))
        .flatMap((name) => libraryClasses(`dist/console/assets/${name}`));
    const styled = new Set(classesIn('.css'));
    const known = new Set(
      libraryClasses(createRequire(import.meta.url).resolve('@mantine/core/styles.css')),
    );
    const bare = classesIn('.js').filter((each) => known.has(each) && !styled.has(each));
    expect(styled.size).to.be.above(100);
    expect(bare, 'apps/console/src/app/styles.ts').to.deep.equal([]);
  });

  it('are all there is: nothing else is read, whatever the path', async () => {
    for (const path of [
      ...['/assets/none.js', '/assets/', '/icon.svg', '/index.html', '/package.json'],
      ...['/../package.json', '/assets/../../../package.json', '/assets/..%2f..%2fpackage.json'],
      ...['/%2e%2e/%2e%2e/package.json', '/a/%2E%2e/b', '/a/./b', '/..\\package.json', '//a'],
    ]) {
      const { status, headers } = await get(path);
      expect(status, path).to.be.oneOf([400, 404]);
      expect(headers['content-type'], path).not.to.match(/html|javascript/);
    }
    const posted = await get('/', {}, 'POST');
    expect([posted.status, posted.headers.allow]).to.deep.equal([405, 'GET, HEAD']);
  });

  it('are shown under the names of the console alone', async () => {
    expect((await get('/', { host: 'old.example' })).status).to.equal(404);
    expect((await get('/assets/x.js', { host: 'old.example' })).status).to.equal(404);
  });
});

describe('The console in front of an operator API', () => {
  let console: Console;
  let origin: string;
  /** Requests as the API took them. */
  const taken: { readonly method: string; readonly bytes: number }[] = [];
  /** Takes one request a connection, and ends it when a further one is sent over it, as one does that was idle for long. */
  const api = createServer((asked, answer) => {
    if (asked.url === '/v3/admin/slow') {
      taken.push({ method: 'SLOW', bytes: 0 });
      return;
    }
    const socket = asked.socket as Socket & { hasServed?: true };
    if (socket.hasServed === true) {
      socket.resetAndDestroy();
      return;
    }
    socket.hasServed = true;
    let bytes = 0;
    asked.on('data', (part: Buffer) => (bytes += part.length));
    asked.on('end', () => {
      taken.push({ method: asked.method ?? '', bytes });
      answer.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });

  before(async () => {
    await once(api.listen(0, '127.0.0.1'), 'listening');
    console = createConsoleService(
      readConfig({
        SVC_PROFILE: 'development',
        SVC_ROLES: 'console',
        SVC_CONSOLE_PORT: '0',
        SVC_CONSOLE_UPSTREAM: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
        SVC_LOG_LEVEL: 'silent',
        SVC_BRAND_NAME: 'Цахим <үнэмлэх>',
        SVC_BRAND_ACCENT: '#7a1f5c',
        SVC_BRAND_ACCENT_DARK: '#f0a8d8',
      }),
    );
    await console.start();
    origin = console.origin ?? '';
  });

  beforeEach(() => taken.splice(0));

  after(async () => {
    await console.stop();
    api.closeAllConnections();
    api.close();
  });

  const call = (path: string, method: string, body: string | null = null) =>
    fetch(origin + path, {
      method,
      body,
      headers: { origin, 'content-type': 'application/json' },
    });

  for (const method of ['GET', 'POST', 'DELETE']) {
    it(`sends ${method} once, whatever becomes of the connection of a request before`, async () => {
      expect((await call('/v3/admin/me', 'GET')).status).to.equal(200);
      expect((await call('/v3/admin/me', method)).status).to.equal(200);
      expect(taken.map((each) => each.method)).to.deep.equal(['GET', method]);
    });
  }

  it('does not send a read again that its caller gave up', async () => {
    expect((await call('/v3/admin/me', 'GET')).status).to.equal(200);
    const controller = new AbortController();
    const slow = fetch(`${origin}/v3/admin/slow`, { signal: controller.signal }).catch(() => null);
    await eventually(() => {
      expect(taken).to.have.lengthOf(2);
    });
    controller.abort();
    await slow;
    // A further read comes after whatever was sent again.
    expect((await call('/v3/admin/me', 'GET')).status).to.equal(200);
    expect(taken.filter(({ method }) => method === 'SLOW')).to.have.lengthOf(1);
  });

  it('passes a file of a register of 1 MB on, and no such body elsewhere', async () => {
    const body = JSON.stringify({ format: 'csv', content: 'A'.repeat(1_333_336) });
    const sent = await call('/v3/admin/registers/civil/files', 'POST', body);
    expect(sent.status).to.equal(200);
    expect(taken).to.deep.equal([{ method: 'POST', bytes: body.length }]);
    expect((await call('/v3/admin/operators', 'POST', body)).status).to.equal(413);
  });
});

describe('O10: the console in a process of its own', () => {
  /** Answers of its management port, the operator API at this address. */
  async function health(upstream: string) {
    const port = await freePort();
    const alone = createConsoleService(
      readConfig({
        SVC_PROFILE: 'development',
        SVC_ROLES: 'console',
        SVC_CONSOLE_PORT: '0',
        SVC_CONSOLE_UPSTREAM: upstream,
        SVC_MANAGEMENT_PORT: String(port),
        SVC_LOG_LEVEL: 'silent',
        SVC_BRAND_NAME: 'Цахим <үнэмлэх>',
        SVC_BRAND_ACCENT: '#7a1f5c',
        SVC_BRAND_ACCENT_DARK: '#f0a8d8',
      }),
    );
    await alone.start();
    try {
      const paths = ['/livez', '/readyz', '/metrics'];
      return await Promise.all(
        paths.map(async (path) => {
          const answer = await fetch(`http://127.0.0.1:${port}${path}`);
          return { status: answer.status, text: await answer.text() };
        }),
      );
    } finally {
      await alone.stop();
    }
  }

  it('lives, is ready while the operator API answers, and is measured', async () => {
    const api = await startTestServer(
      healthRoutes({
        version: '1',
        checks: {},
        projections: () => [],
        exposeMetrics: () => Promise.resolve({ contentType: 'text/plain', text: '' }),
      }),
    );
    const [live, ready, metrics] = await health(api.origin);
    await api.server.stop();
    expect([live?.status, ready?.status, metrics?.status]).to.deep.equal([200, 200, 200]);
    expect(metrics?.text).to.include('process_resident_memory_bytes');
  });

  it('is ready where the operator API tells its own health on another port', async () => {
    const api = await startTestServer([]);
    const [, ready] = await health(api.origin);
    await api.server.stop();
    expect(ready?.status).to.equal(200);
  });

  it('is not ready without it, and says which setting names it', async () => {
    const [live, ready] = await health('http://127.0.0.1:9');
    expect([live?.status, ready?.status]).to.deep.equal([200, 503]);
    expect(ready?.text).to.include('SVC_CONSOLE_UPSTREAM');
  });
});
