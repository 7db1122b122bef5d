import { createServer, type IncomingMessage, request as httpRequest, type Server } from 'node:http';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createSecureServer, request as secureRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import {
  composeConsoleBeside,
  type Console,
  createConsoleService,
} from '../../main/composition/console.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { createLog } from '../../infrastructure/telemetry/log.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { openssl, skipWithoutOpenssl } from '../support/programs/openssl.ts';
import {
  openOperatorWorld,
  type OperatorWorld,
  type TestOperator,
} from '../support/worlds/operatorWorld.ts';

interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** Sends a request like a page of the console, with `headers` replaced. */
function browse(
  origin: string,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string | string[]>; body?: object } = {},
): Promise<Reply> {
  const { hostname, port, host, protocol } = new URL(origin);
  return new Promise((resolve, reject) => {
    const asking = (protocol === 'https:' ? secureRequest : httpRequest)(
      {
        hostname,
        port,
        method,
        path,
        rejectUnauthorized: false,
        headers: {
          host,
          ...(method === 'GET' ? {} : { origin }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => (text += chunk));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }),
        );
        answer.on('error', reject);
      },
    );
    asking.on('error', reject);
    asking.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const cookieOf = ({ headers }: Reply, name: string) =>
  headers['set-cookie']?.find((each) => each.startsWith(`${name}=`));

describe('The operator console', function () {
  this.timeout(60_000);

  describe('in the same program', () => {
    let demo: DemoInstallation;
    let operators: OperatorWorld;
    let operator: TestOperator;
    let origin: string;

    before(async () => {
      demo = await startDemoInstallation({
        SVC_ROLES: 'api,projector,worker,console',
        SVC_CONSOLE_PORT: '0',
        SVC_ADMIN_API_KEY: 'the key behind the glass',
      });
      origin = demo.service.consoleOrigin ?? '';
      operators = openOperatorWorld(
        demo.service.origin,
        'the key behind the glass',
        demo.service.operators,
      );
      operator = await operators.add('SUPER_ADMIN');
    });

    after(() => demo.stop());

    it('signs in with cookies no script reads; no answer holds a token', async () => {
      const { email, password } = operator;
      const first = await browse(origin, 'POST', '/v3/admin/auth/login', {
        body: { email, password },
      });
      expect(first.status).to.equal(200);
      const mfa = cookieOf(first, 'admin_mfa') ?? '';
      expect(mfa).to.match(
        /^admin_mfa=[\w-]+\.[\w-]+; Max-Age=300; Path=\/; HttpOnly; SameSite=Strict$/,
      );
      const answer = JSON.parse(first.text) as Record<string, unknown>;
      expect(answer).not.to.have.property('token');
      expect(answer).to.have.property('enrolmentRequired', true);
      operator.secret = String(answer['secret']);

      const cookie = mfa.split(';')[0] ?? '';
      const secondStep = () =>
        browse(origin, 'POST', '/v3/admin/auth/mfa', {
          headers: { cookie },
          body: { code: operators.oldestCode(operator) },
        });
      let second = await secondStep();
      if (second.status === 401) second = await secondStep();
      expect(second.status, second.text).to.equal(200);
      const session = cookieOf(second, 'admin_session') ?? '';
      expect(session).to.match(
        /^admin_session=[\w-]+\.[\w-]+; Max-Age=3600; Path=\/; HttpOnly; SameSite=Strict$/,
      );
      expect(cookieOf(second, 'admin_mfa')).to.match(/^admin_mfa=; Max-Age=0;/);
      expect(JSON.parse(second.text))
        .to.include({ role: 'SUPER_ADMIN' })
        .and.not.have.property('token');

      const signedIn = { headers: { cookie: session.split(';')[0] ?? '' } };
      const account = await browse(origin, 'GET', '/v3/admin/account', signedIn);
      expect(JSON.parse(account.text)).to.include({ email, role: 'SUPER_ADMIN' });
      const token = signedIn.headers.cookie.slice('admin_session='.length);
      expect(first.text + second.text + account.text).not.to.contain(token);

      const out = await browse(origin, 'POST', '/v3/admin/auth/logout', signedIn);
      expect(out.status).to.equal(204);
      expect(cookieOf(out, 'admin_session')).to.match(/^admin_session=; Max-Age=0;/);
      expect(cookieOf(out, 'admin_mfa')).to.match(/^admin_mfa=; Max-Age=0;/);
    });

    it('takes credentials from its cookies alone', async () => {
      const { token } = await operators.signIn(operator);
      const account = async (headers: Record<string, string>) =>
        (await browse(origin, 'GET', '/v3/admin/account', { headers })).status;
      expect(await account({ cookie: `admin_session=${token}` })).to.equal(200);
      expect(await account({ cookie: `a=b; admin_session=${token}; c=d` })).to.equal(200);
      expect(await account({ authorization: `Bearer ${token}` })).to.equal(401);
      expect(await account({ 'x-admin-key': 'the key behind the glass' })).to.equal(401);
      expect(await account({ cookie: `admin_mfa=${token}` })).to.equal(401);
      expect(await account({ cookie: `admin_session=${token}; admin_session=a.b` })).to.equal(401);
      expect(await account({ cookie: `xadmin_session=${token}` })).to.equal(401);
      expect(await account({ cookie: `admin_session=${token}%0d%0ax: y` })).to.equal(401);
    });

    it('hands an export through as it is', async () => {
      const { token } = await operators.signIn(operator);
      const headers = { cookie: `admin_session=${token}` };
      const csv = await browse(origin, 'GET', '/v3/admin/audit/export', { headers });
      expect(csv.status).to.equal(200);
      expect(csv.headers['content-type']).to.match(/^text\/csv/);
      expect(csv.headers['content-disposition']).to.match(/^attachment/);
      expect(csv.text.split('\n').length).to.be.greaterThan(3);
    });

    it('answers to its own host alone', async () => {
      const { host, port } = new URL(origin);
      const status = async (value: string | string[]) =>
        (await browse(origin, 'GET', '/v3/admin/account', { headers: { host: value } })).status;
      expect(await status(host)).to.equal(401);
      expect(await status(`LOCALHOST:${port}`)).to.equal(401);
      for (const other of [
        'old.example',
        '127.0.0.1',
        `127.0.0.1:${port}.example`,
        `${host}@evil.example`,
      ]) {
        expect(await status(other), other).to.be.oneOf([400, 404]);
      }
    });

    it('takes plain paths below /v3/admin, and those of the assistant, alone', async () => {
      const status = async (path: string) => (await browse(origin, 'GET', path)).status;
      expect(
        await status('/v3/admin/organizations/NTRMN-5123456?asOf=2026-01-01T00:00:00Z'),
      ).to.equal(401);
      expect(await status('/api/v1/admin/ai/prompts')).to.equal(401);
      for (const path of [
        ...['/api', '/api/v1/ai', '/api/v1/oauth2/consent', '/api/v1/admin/aix/prompts'],
        ...['/api/v1/ai/../oauth2/consent', '/api/v1/admin/users', '/API/v1/ai/chat'],
        ...[
          '/v3',
          '/v3/admin',
          '/v3/admin/',
          '/v3/adminx/account',
          '/v3/session/x',
          '//v3/admin/account',
        ],
        ...['/v3/admin/../metrics', '/v3/admin/./account', '/v3/admin/..', '/v3/admin//account'],
        ...[
          '/v3/admin/%2e%2e/metrics',
          '/v3/admin/%2E/account',
          '/v3/admin/a%2fb',
          '/v3/admin/a%5cb',
        ],
        ...['/v3/admin/a\\b', '/v3/admin/account;x', '/v3/admin/account/', '/V3/ADMIN/account'],
        ...['/v3/admin/a%00', '/v3/admin/@evil', 'http://127.0.0.1/v3/admin/account', '*'],
      ]) {
        expect(await status(path), path).to.be.oneOf([400, 404]);
      }
    });

    it('changes nothing another site asks for', async () => {
      const { token } = await operators.signedIn('SUPER_ADMIN');
      const { port } = new URL(origin);
      const change = async (headers: Record<string, string | string[]>) =>
        (
          await browse(origin, 'POST', '/v3/admin/admins', {
            headers: { cookie: `admin_session=${token}`, ...headers },
            body: {},
          })
        ).status;
      // 400: it went through, and its body says nothing.
      expect(await change({})).to.equal(400);
      expect(await change({ origin: [], referer: `${origin}/admins?x=y` })).to.equal(400);
      // F7: one host, however it is written.
      const rooted = { host: `LOCALHOST.:${port}`, origin: `http://localhost.:${port}` };
      expect(await change(rooted)).to.equal(400);
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: `http://127.0.0.1.evil.example:${port}` },
        { origin: `http://localhost:${port}` },
        { origin: 'http://127.0.0.1:1' },
        { origin: [], referer: `https://evil.example/?${origin}` },
        { origin: [], referer: 'no address' },
        { origin: 'https://evil.example', referer: `${origin}/` },
        { origin: [] },
      ]) {
        expect(await change(headers), JSON.stringify(headers)).to.equal(403);
      }
    });

    it('refuses bodies that are too large and methods it does not know', async () => {
      const body = { email: 'x'.repeat(300_000) };
      expect((await browse(origin, 'POST', '/v3/admin/auth/login', { body })).status).to.equal(413);
      const { status, headers } = await browse(origin, 'OPTIONS', '/v3/admin/account');
      expect([status, headers.allow]).to.deep.equal([405, 'DELETE, GET, HEAD, PATCH, POST, PUT']);
    });
  });

  it('reaches the API of its own process over TLS, whatever name its certificate has', async function () {
    await skipWithoutOpenssl(this);
    const directory = await mkdtemp(join(tmpdir(), 'tamga-console-'));
    const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
    await openssl(
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
      ...['-keyout', key, '-out', cert, '-days', '1', '-subj', '/CN=console.example.mn'],
    );
    const api = createSecureServer(
      { key: await readFile(key), cert: await readFile(cert) },
      (_, response) => response.end('fine'),
    );
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
    const origin = `https://127.0.0.1:${(api.address() as AddressInfo).port}`;
    const settings = {
      SVC_PROFILE: 'development',
      SVC_CONSOLE_PORT: '0',
      SVC_LOG_LEVEL: 'silent',
      SVC_TLS_KEY: key,
      SVC_TLS_CERT: cert,
    };
    const log = createLog({ level: 'silent' });
    const browseOver = async (more: Record<string, string>) => {
      const console = composeConsoleBeside(readConfig({ ...settings, ...more }), log, () => origin);
      await console.start();
      const answer = await browse(console.origin ?? '', 'GET', '/v3/admin/stats');
      await console.stop();
      return [answer.status, answer.headers['strict-transport-security'], answer.text];
    };
    const own = await browseOver({ SVC_ROLES: 'api,console' });
    const another = await browseOver({ SVC_ROLES: 'api,console', SVC_CONSOLE_UPSTREAM: origin });
    api.closeAllConnections();
    await new Promise((resolve) => api.close(resolve));
    await rm(directory, { recursive: true });
    expect(own).to.deep.equal([200, 'max-age=31536000', 'fine']);
    // Of a process elsewhere the certificate is all there is to know it by.
    expect(another[0]).to.equal(503);
  });

  describe('as a process of its own, before an API that misbehaves', () => {
    let upstream: Server;
    let answering: (request: IncomingMessage) => {
      status: number;
      body: Readable | string;
      headers?: Record<string, string>;
    };
    let console: Console;

    before(async () => {
      upstream = createServer((request, response) => {
        const { status, body, headers } = answering(request);
        response.writeHead(status, {
          ...headers,
          'content-type': 'text/plain',
          'set-cookie': 'stolen=1',
          server: 'x/1',
        });
        if (typeof body === 'string') response.end(body);
        else body.pipe(response);
      });
      await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
      const { port } = upstream.address() as AddressInfo;
      console = createConsoleService(
        readConfig({
          SVC_PROFILE: 'production',
          SVC_ROLES: 'console',
          SVC_CONSOLE_PORT: '0',
          SVC_CONSOLE_HOSTS: 'Console.example.mn',
          SVC_CONSOLE_TIMEOUT: '1',
          SVC_CONSOLE_UPSTREAM: `http://127.0.0.1:${port}`,
          SVC_LOG_LEVEL: 'silent',
        }),
      );
      await console.start();
    });

    after(async () => {
      await console.stop();
      upstream.closeAllConnections();
      await new Promise((resolve) => upstream.close(resolve));
    });

    const ask = (method = 'GET', path = '/v3/admin/stats', body?: object) =>
      browse(console.origin ?? '', method, path, {
        headers: { host: 'console.example.mn', origin: 'https://console.example.mn' },
        ...(body === undefined ? {} : { body }),
      });

    it('needs neither database nor keys, but its hosts and the API', () => {
      const settings = { SVC_PROFILE: 'production', SVC_ROLES: 'console' };
      expect(() => readConfig(settings)).to.throw(/SVC_CONSOLE_HOSTS(.|\n)*SVC_CONSOLE_UPSTREAM/);
      expect(() =>
        readConfig({ ...settings, SVC_CONSOLE_HOSTS: 'a', SVC_CONSOLE_UPSTREAM: 'http://b' }),
      ).not.to.throw();
    });

    it('masks what fails behind it, and hands back nothing but what browsers need', async () => {
      answering = () => ({ status: 500, body: 'Error at /srv/secret.ts:1' });
      const failed = await ask();
      expect([failed.status, failed.headers['content-type']]).to.deep.equal([
        502,
        'application/problem+json',
      ]);
      expect(failed.text).not.to.contain('secret.ts');
      answering = () => ({ status: 503, body: 'postgres://user:password@db' });
      const busy = await ask();
      expect([busy.status, busy.headers['retry-after']]).to.deep.equal([503, '2']);
      expect(busy.text).not.to.contain('postgres');
      answering = () => ({ status: 200, body: 'fine' });
      const fine = await ask();
      expect(fine.text).to.equal('fine');
      expect(fine.headers).not.to.have.any.keys('set-cookie', 'server');
      expect(fine.headers).to.include({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
    });

    it('R10: keeps cookies to TLS and this host in production, and gives none where the API gave no token', async () => {
      answering = () => ({ status: 200, body: '{"token":"a.b","scope":"mfa"}' });
      const login = await ask('POST', '/v3/admin/auth/login', {});
      expect(cookieOf(login, '__Host-admin_mfa')).to.equal(
        '__Host-admin_mfa=a.b; Max-Age=300; Path=/; HttpOnly; SameSite=Strict; Secure',
      );
      expect(login.text).to.equal('{"scope":"mfa"}');
      for (const body of ['no JSON', '{}', '[]', '{"token":7}']) {
        answering = () => ({ status: 200, body });
        const odd = await ask('POST', '/v3/admin/auth/login', {});
        expect([odd.status, odd.headers['set-cookie']]).to.deep.equal([503, undefined]);
      }
    });

    it('abandons an API that does not answer, and says so when there is none', async () => {
      const silent = new Readable({ read: () => undefined });
      answering = () => ({ status: 200, body: silent });
      expect((await ask()).status).to.equal(503);
      // The answer has begun: all that is left is to end it where it stands.
      const stuck = new Readable({ read: () => undefined });
      stuck.push('the beginning');
      answering = () => ({ status: 200, body: stuck });
      const failure = await ask().then(
        () => null,
        (error: unknown) => error,
      );
      expect(failure).to.be.instanceOf(Error);
      const elsewhere = createConsoleService(
        readConfig({
          SVC_PROFILE: 'development',
          SVC_ROLES: 'console',
          SVC_CONSOLE_PORT: '0',
          SVC_CONSOLE_UPSTREAM: 'http://127.0.0.1:1',
          SVC_LOG_LEVEL: 'silent',
        }),
      );
      await elsewhere.start();
      const { status, text } = await browse(elsewhere.origin ?? '', 'GET', '/v3/admin/stats');
      expect([status, (JSON.parse(text) as { code: string }).code]).to.deep.equal([
        503,
        'DEPENDENCY_UNAVAILABLE',
      ]);
      expect(text).not.to.contain('ECONNREFUSED');
      const out = await browse(elsewhere.origin ?? '', 'POST', '/v3/admin/auth/logout');
      expect(cookieOf(out, 'admin_session')).to.match(/Max-Age=0/);
      await elsewhere.stop();
    });

    it('waits for the assistant as long as a model may take', async () => {
      answering = () => {
        const late = new Readable({ read: () => undefined });
        setTimeout(() => late.push('late') && late.push(null), 1500);
        return { status: 200, body: late };
      };
      const { status, text } = await ask('POST', '/api/v1/ai/chat', { message: 'x' });
      expect([status, text]).to.deep.equal([200, 'late']);
    });

    it('says where an approval is asked for', async () => {
      answering = () => ({
        status: 202,
        body: '{}',
        headers: { location: '/v3/admin/approvals/7' },
      });
      expect((await ask('POST', '/v3/admin/x', {})).headers['location']).to.equal(
        '/v3/admin/approvals/7',
      );
      for (const location of ['https://evil.example/', '//evil.example', '/v3/admin/../x', '/x']) {
        answering = () => ({ status: 302, body: '', headers: { location } });
        expect((await ask()).headers, location).not.to.have.property('location');
      }
    });

    it('finds an API that listens on an IPv6 address', async function () {
      const other = createServer((_, response) => response.end('fine'));
      const listening = new Promise<boolean>((resolve) => {
        other.once('error', () => resolve(false));
        other.listen(0, '::1', () => resolve(true));
      });
      if (!(await listening)) {
        globalThis.console.log('      There is no IPv6 here: skipped');
        this.skip();
      }
      const elsewhere = createConsoleService(
        readConfig({
          SVC_PROFILE: 'development',
          SVC_ROLES: 'console',
          SVC_CONSOLE_PORT: '0',
          SVC_CONSOLE_UPSTREAM: `http://[::1]:${(other.address() as AddressInfo).port}`,
          SVC_LOG_LEVEL: 'silent',
        }),
      );
      await elsewhere.start();
      const { text } = await browse(elsewhere.origin ?? '', 'GET', '/v3/admin/stats');
      await elsewhere.stop();
      other.closeAllConnections();
      await new Promise((resolve) => other.close(resolve));
      expect(text).to.equal('fine');
    });

    it('reads no faster than the browser does', async () => {
      let read = 0;
      const chunk = Buffer.alloc(64 * 1024, 'x');
      answering = () => ({
        status: 200,
        body: Readable.from(
          (function* () {
            for (; read < 200 * 1024 * 1024; read += chunk.length) yield chunk;
          })(),
        ),
      });
      const { hostname, port } = new URL(console.origin ?? '');
      const asking = httpRequest({
        hostname,
        port,
        path: '/v3/admin/audit/export',
        headers: { host: 'console.example.mn' },
      });
      const answer = await new Promise<IncomingMessage>((resolve) => {
        asking.on('response', resolve);
        asking.end();
      });
      answer.pause();
      let before = -1;
      while (before !== read) {
        before = read;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      expect(read).to.be.lessThan(50 * 1024 * 1024);
      asking.on('error', () => undefined);
      asking.destroy();
    });
  });
});
