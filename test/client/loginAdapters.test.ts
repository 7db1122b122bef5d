import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { expect } from 'chai';
import {
  ConfigurationError,
  EidClient,
  RateLimitedError,
  type ValidationError,
} from '../../client/index.ts';
import {
  createLogin,
  expressLogin,
  loggedInUser,
  type LoginOptions,
  type LoginState,
  type NextHandlers,
  nextLogin,
  passportLogin,
  type PassportLoginOptions,
  type VisitorSession,
} from '../../client/login/index.ts';
import { createFakePlatform, type FakePlatform } from '../../client/testing/index.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { until } from '../support/assertions/waiting.ts';
import { importExample } from '../support/programs/clientExample.ts';

const secret = 'a secret of the shop that is longer than 32 characters';
const origin = 'https://shop.test';

/** A shop of a framework, as a browser meets it. */
interface Shop {
  fetch(path: string, init: RequestInit): Promise<Response>;
  stop(): Promise<void>;
}

async function served(listener: RequestListener): Promise<Shop> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    fetch: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type ExpressApp = RequestListener & { set(name: string, value: string): unknown };
type Create<App> = (client: EidClient, secret: string, origin: string) => App;

async function expressShop(example: string, client: EidClient): Promise<Shop> {
  const { createApp } = await importExample<{ createApp: Create<ExpressApp> }>(example);
  const app = createApp(client, secret, origin);
  // Prints no errors.
  app.set('env', 'test');
  return served(app);
}

interface FastifyApp {
  ready(): Promise<unknown>;
  routing: RequestListener;
  close(): Promise<unknown>;
}

async function fastifyShop(client: EidClient): Promise<Shop> {
  const { createApp } = await importExample<{ createApp: Create<FastifyApp> }>('login/fastify.ts');
  const app = createApp(client, secret, origin);
  await app.ready();
  const shop = await served((request, response) => app.routing(request, response));
  return {
    ...shop,
    stop: () =>
      shop
        .stop()
        .then(() => app.close())
        .then(() => undefined),
  };
}

interface NestApp {
  init(): Promise<unknown>;
  getHttpAdapter(): { getInstance(): RequestListener };
  close(): Promise<void>;
}

async function nestShop(client: EidClient): Promise<Shop> {
  const { createApp } = await importExample<{ createApp: Create<Promise<NestApp>> }>(
    'login/nest.ts',
  );
  Logger.overrideLogger(false);
  const app = await createApp(client, secret, origin);
  await app.init();
  const shop = await served(app.getHttpAdapter().getInstance());
  return { ...shop, stop: () => shop.stop().then(() => app.close()) };
}

interface Jar {
  get(name: string): { readonly value: string } | undefined;
  set(name: string, value: string): void;
}

interface NextExample {
  createHandlers(client: EidClient, cookies: () => Promise<Jar>, origin: string): NextHandlers;
  currentUser(cookies: () => Promise<Jar>): Promise<object | undefined>;
}

/** Route handlers of Next.js take a `Request` and give a `Response`: it needs no Next.js to run them. */
async function nextShop(client: EidClient): Promise<Shop> {
  const { createHandlers, currentUser } = await importExample<NextExample>('login/next.ts');
  return {
    stop: () => Promise.resolve(),
    fetch: async (path, init) => {
      const sent = /visitor=([\w-]+)/.exec(new Headers(init.headers).get('cookie') ?? '')?.[1];
      let value = sent;
      const jar: Jar = {
        get: () => (value === undefined ? undefined : { value }),
        set: (_, changed) => (value = changed),
      };
      const cookies = () => Promise.resolve(jar);
      const answer = async () => {
        if (path !== '/me') {
          const handlers = createHandlers(client, cookies, origin);
          const request = new Request(`${origin}${path}`, init);
          return init.method === 'POST' ? handlers.POST(request) : handlers.GET(request);
        }
        const user = await currentUser(cookies);
        return user === undefined ? new Response(null, { status: 401 }) : Response.json(user);
      };
      // Next.js answers so what a handler throws.
      const response = await answer().catch(() => new Response(null, { status: 500 }));
      const headers = new Headers(response.headers);
      if (value !== undefined && value !== sent) headers.set('set-cookie', `visitor=${value}`);
      return new Response(response.body, { status: response.status, headers });
    },
  };
}

/** A browser that keeps the shop's cookie. @param cookie that it has already */
function browserOf(shop: Shop, cookie = '') {
  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string> | undefined), cookie };
    const response = await shop.fetch(path, { redirect: 'manual', ...init, headers });
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    return response;
  }
  return {
    get cookie() {
      return cookie;
    },
    get: (path: string) => ask(path),
    post: (path: string, body: unknown = {}) =>
      ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    form: (path: string) => ask(path, { method: 'POST', body: new URLSearchParams({ way: 'qr' }) }),
  };
}

const shops: Readonly<Record<string, (client: EidClient) => Promise<Shop>>> = {
  Express: (client) => expressShop('login/express.ts', client),
  Fastify: fastifyShop,
  'Next.js': nextShop,
  NestJS: nestShop,
};

describe('Login by the adapters of the library', function () {
  this.timeout(30_000);
  let platform: FakePlatform;
  let shop: Shop;
  let browser: ReturnType<typeof browserOf>;

  async function open(create: (client: EidClient) => Promise<Shop>): Promise<void> {
    platform = createFakePlatform();
    shop = await create(new EidClient(platform.config));
    browser = browserOf(shop);
  }

  afterEach(() => shop.stop());

  for (const [framework, create] of Object.entries(shops)) {
    describe(`for ${framework}`, () => {
      beforeEach(() => open(create));

      it('logs in by push, with another session than before, and out', async () => {
        const { etsi } = platform.addCitizen({ firstName: 'Сараа' });
        expect((await browser.get('/me')).status).to.equal(401);
        const started = await browser.post('/login/start', { way: 'push', id: ` ${etsi} ` });
        expect(await started.json())
          .to.have.property('code')
          .that.matches(/^\d{5}$/);
        const before = browser.cookie;
        const status = await (await browser.get('/login/status')).json();
        expect(status).to.have.property('state', 'OK');
        expect(browser.cookie).not.to.equal(before);
        const me = await browser.get('/me');
        expect(await me.json()).to.include({ etsi, firstName: 'Сараа' });
        expect((await browser.post('/login/logout')).status).to.equal(204);
        expect((await browser.get('/me')).status).to.equal(401);
      });

      it('tells nothing to the session id from before the login was started', async () => {
        await browser.post('/login/start', { way: 'qr' });
        const planted = browserOf(shop, browser.cookie);
        await browser.post('/login/start', { way: 'push', id: platform.addCitizen().etsi });
        expect(await (await planted.get('/login/status')).json()).to.deep.equal({ state: 'NONE' });
        expect((await planted.get('/me')).status).to.equal(401);
        const status = await (await browser.get('/login/status')).json();
        expect(status).to.have.property('state', 'OK');
      });

      it('logs nobody in by a poll that was under way at logout or at another start', async () => {
        const { etsi } = platform.addCitizen({ answers: null });
        for (const end of [
          () => browser.post('/login/logout'),
          () => browser.post('/login/start', { way: 'qr' }),
        ]) {
          await browser.post('/login/start', { way: 'push', id: etsi });
          const session = platform.lastSession();
          const asking = browserOf(shop, browser.cookie);
          const waiting = asking.get('/login/status');
          await until(() => platform.requests.at(-1)?.method === 'GET');
          await end();
          session.answer('OK');
          expect(await (await waiting).json()).to.deep.equal({ state: 'NONE' });
          expect((await asking.get('/me')).status).to.equal(401);
          expect((await browser.get('/me')).status).to.equal(401);
        }
        expect((await browser.get('/login/link')).status).to.equal(200);
      });

      it('logs a citizen out though a poll is under way, which does not bring them back', async () => {
        await browser.post('/login/start', { way: 'push', id: platform.addCitizen().etsi });
        await browser.get('/login/status');
        await browser.post('/login/start', { way: 'qr' });
        const asking = browserOf(shop, browser.cookie);
        const waiting = asking.get('/login/status');
        await until(() => platform.requests.at(-1)?.method === 'GET');
        await browser.post('/login/logout');
        platform.advance(10_000);
        expect(await (await waiting).json()).to.deep.equal({ state: 'NONE' });
        expect((await asking.get('/me')).status).to.equal(401);
      });

      it('keeps who is logged in when another login fails', async () => {
        await browser.post('/login/start', { way: 'push', id: platform.addCitizen().etsi });
        await browser.get('/login/status');
        const { etsi } = platform.citizenWho('USER_REFUSED');
        await browser.post('/login/start', { way: 'push', id: etsi });
        const status = await (await browser.get('/login/status')).json();
        expect(status).to.have.property('reason', 'USER_REFUSED');
        expect((await browser.get('/me')).status).to.equal(200);
      });

      it('says why nobody is logged in', async () => {
        for (const reason of ['USER_REFUSED', 'TIMEOUT'] as const) {
          const { etsi } = platform.citizenWho(reason);
          await browser.post('/login/start', { way: 'push', id: etsi });
          const status = await (await browser.get('/login/status')).json();
          expect(status).to.deep.equal({ state: 'FAILED', reason });
        }
        const { etsi } = platform.citizenWho('SIGNATURE_INVALID');
        await browser.post('/login/start', { way: 'push', id: etsi });
        const status = await (await browser.get('/login/status')).json();
        expect(status).to.deep.equal({ state: 'FAILED', reason: 'NOT_BELIEVED' });
        expect((await browser.get('/me')).status).to.equal(401);
        const over = await (await browser.get('/login/status')).json();
        expect(over).to.deep.equal({ state: 'NONE' });
      });

      it('logs in by QR code', async () => {
        expect((await browser.get('/login/link')).status).to.equal(404);
        await browser.post('/login/start', { way: 'qr' });
        const link = await (await browser.get('/login/link')).json();
        expect(link).to.have.property('link').that.includes('deviceLinkType=QR');
        const waiting = browser.get('/login/status');
        await until(() => platform.requests.at(-1)?.method === 'GET');
        platform.advance(10_000);
        expect(await (await waiting).json()).to.deep.equal({ state: 'RUNNING' });
        platform.lastSession().answer('OK');
        const status = await (await browser.get('/login/status')).json();
        expect(status).to.have.property('state', 'OK');
      });

      it('logs in by the app, at the callback alone', async () => {
        const started = await browser.post('/login/start', { way: 'app' });
        expect(await started.json())
          .to.have.property('link')
          .that.includes('Web2App');
        platform.lastSession().answer('OK', { flowType: 'Web2App' });
        const status = await (await browser.get('/login/status')).json();
        expect(status).to.deep.equal({ state: 'NONE' });
        const { pathname, search } = platform.lastSession().returnUrl();
        const returned = await browser.get(`${pathname}${search}`);
        expect(returned.status).to.equal(303);
        expect(returned.headers.get('location')).to.equal('/me');
        expect((await browser.get('/me')).status).to.equal(200);
      });

      it('believes no callback of another login', async () => {
        await browser.post('/login/start', { way: 'app' });
        platform.lastSession().answer('OK', { flowType: 'Web2App' });
        const { pathname, search } = platform.lastSession().returnUrl();
        const forged = await browser.get(pathname + search.replace('state=', 'state=x'));
        expect(forged.headers.get('location')).to.equal('/me?login=NOT_BELIEVED');
        expect((await browser.get('/me')).status).to.equal(401);
        const stranger = await browserOf(shop).get(pathname + search);
        expect(stranger.headers.get('location')).to.equal('/me?login=NONE');
        const returned = await browser.get(pathname + search);
        expect(returned.headers.get('location')).to.equal('/me');
      });

      it('leaves an address alone that is not its own, `//` too', async () => {
        expect((await browser.get('//')).status).to.equal(404);
      });

      it('answers what it cannot start', async () => {
        const push = { way: 'push', id: platform.addCitizen().etsi };
        const unknown = await browser.post('/login/start', { way: 'push', id: 'PNOMN-1' });
        expect(unknown.status).to.equal(404);
        expect(await unknown.json()).to.deep.equal({ reason: 'PERSON_NOT_FOUND' });
        platform.refuseNext('RATE_LIMITED', { retryAfterMs: 20_000 });
        const limited = await browser.post('/login/start', push);
        expect([limited.status, limited.headers.get('retry-after')]).to.deep.equal([429, '20']);
        platform.refuseNext('QUOTA_EXCEEDED');
        const exceeded = await browser.post('/login/start', push);
        expect(await exceeded.json()).to.deep.equal({ reason: 'QUOTA_EXCEEDED' });
        // The service named no time: none is made up.
        expect(exceeded.headers.get('retry-after')).to.equal(null);
        platform.refuseNext('OVERLOADED', { retryAfterMs: 3000 });
        const away = await browser.post('/login/start', push);
        expect([away.status, away.headers.get('retry-after')]).to.deep.equal([503, '3']);
        platform.refuseNext('MAINTENANCE');
        platform.disconnectNext();
        expect((await browser.post('/login/start', push)).status).to.equal(503);
        expect((await browser.post('/login/start', push)).status).to.equal(503);
        for (const wrong of [{}, { way: 'push' }, { way: 'push', id: 7 }, { way: 'fax' }]) {
          expect((await browser.post('/login/start', wrong)).status).to.equal(400);
        }
        expect((await browser.form('/login/start')).status).to.equal(415);
        platform.refuseNext('UNAUTHENTICATED');
        expect((await browser.post('/login/start', push)).status).to.equal(500);
      });
    });
  }

  describe('for Passport', () => {
    beforeEach(() => open((client) => expressShop('login/passport.ts', client)));

    it('logs in the customer whom the shop knows', async () => {
      const { etsi } = platform.addCitizen({ firstName: 'Сараа' });
      expect((await browser.post('/login/finish')).status).to.equal(401);
      await browser.post('/login/start', { way: 'push', id: etsi });
      const finished = await browser.post('/login/finish');
      expect(await finished.json()).to.deep.equal({ id: etsi, name: 'Сараа' });
      expect(await (await browser.get('/me')).json()).to.have.property('id', etsi);
    });

    it('logs nobody in past `verify`, at whichever address', async () => {
      const { etsi } = platform.addCitizen();
      await browser.post('/login/start', { way: 'push', id: etsi });
      expect((await browser.get('/login/status')).status).to.equal(404);
      expect((await browser.get('/login/link')).status).to.equal(404);
      expect((await browser.post('/login/finish')).status).to.equal(200);
    });

    it('says 202 while the citizen has not answered, 401 when they refused', async () => {
      const { etsi } = platform.addCitizen({ answers: null });
      await browser.post('/login/start', { way: 'push', id: etsi });
      const waiting = browser.post('/login/finish');
      await until(() => platform.requests.at(-1)?.method === 'GET');
      platform.advance(10_000);
      expect((await waiting).status).to.equal(202);
      platform.lastSession().answer('USER_REFUSED');
      expect((await browser.post('/login/finish')).status).to.equal(401);
      expect((await browser.get('/me')).status).to.equal(401);
    });

    it('logs in at the callback of the app', async () => {
      await browser.post('/login/start', { way: 'app' });
      platform.lastSession().answer('OK', { flowType: 'Web2App' });
      const { pathname, search } = platform.lastSession().returnUrl();
      const returned = await browser.get(`${pathname}${search}`);
      expect(returned.headers.get('location')).to.equal('/me');
      expect((await browser.get('/me')).status).to.equal(200);
    });

    it('hands on what it cannot explain', async () => {
      await browser.post('/login/start', { way: 'push', id: platform.addCitizen().etsi });
      platform.refuseNext('UNAUTHENTICATED');
      expect((await browser.post('/login/finish')).status).to.equal(500);
    });
  });
});

describe('Login of the library, without a framework', () => {
  function visitor(): VisitorSession & { state: LoginState | undefined } {
    return {
      state: undefined,
      read() {
        return this.state;
      },
      write(state) {
        this.state = state;
      },
    };
  }

  function loginOf(platform: FakePlatform, more: Partial<LoginOptions> = {}) {
    const client = new EidClient(platform.config);
    const interactions = [{ type: 'displayTextAndPIN', displayText60: 'Log in' }] as const;
    return createLogin({ client, interactions, ...more });
  }

  it('tells of answers that must not be believed', async () => {
    const platform = createFakePlatform();
    const told: ValidationError[] = [];
    const login = loginOf(platform, { onNotBelieved: (error) => told.push(error) });
    const session = visitor();
    await login.start(session, 'push', platform.citizenWho('CHAIN_UNTRUSTED').etsi);
    expect(await login.status(session)).to.include({ reason: 'NOT_BELIEVED' });
    expect(told.map(({ code }) => code)).to.deep.equal(['CHAIN_UNTRUSTED']);
  });

  it('tells of what the visitor is told a reason alone', async () => {
    const platform = createFakePlatform();
    const told: (string | null)[] = [];
    const { POST } = nextLogin({
      client: new EidClient(platform.config),
      interactions: 'Log in',
      session: () => visitor(),
      onRefused: (error) => told.push(error instanceof RateLimitedError ? error.reason : null),
    });
    const detail = 'The citizen refused. Limited by SVC_PUSH_BACK_OFF until 2026-01-31T08:15:30Z.';
    platform.refuseNext('RATE_LIMITED', { retryAfterMs: 20_000, detail });
    const answer = await POST(
      new Request('https://shop.example/login/start', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ way: 'push', id: platform.addCitizen().etsi }),
      }),
    );
    expect(answer.status).to.equal(429);
    expect(await answer.text()).not.to.include('SVC_PUSH_BACK_OFF');
    expect(told).to.deep.equal([detail]);
  });

  it('keeps a session that was written as JSON, of the first generation, too', async () => {
    const platform = createFakePlatform();
    const login = loginOf(platform, { generation: 'G1' });
    const session = visitor();
    const { etsi } = platform.addCitizen();
    await login.start(session, 'push', etsi);
    session.state = JSON.parse(JSON.stringify(session.state)) as LoginState;
    expect(await login.status(session)).to.have.property('state', 'OK');
    expect(await login.user(session)).to.have.property('etsi', etsi);
  });

  async function finishByPassport(
    verify: NonNullable<PassportLoginOptions['verify']>,
    originalUrl: string,
  ) {
    const platform = createFakePlatform();
    const login = loginOf(platform);
    const session = visitor();
    await login.start(session, 'push', platform.addCitizen().etsi);
    const request = { originalUrl, session: { tamga: session.state } };
    const client = new EidClient(platform.config);
    const strategy = passportLogin({ client, interactions: [], verify });
    const answer = await new Promise((resolve) => {
      const fail = (_: unknown, status: number) => resolve(status);
      strategy.authenticate.call({ success: resolve, fail, error: resolve }, request);
    });
    return { answer, user: loggedInUser(request) };
  }

  it('logs out for Passport a citizen whom the shop does not admit', async () => {
    const refused = await finishByPassport(() => null, '/login/finish');
    expect(refused).to.deep.equal({ answer: 403, user: null });
    const away = new Error('The customers are away.');
    const failed = await finishByPassport(() => Promise.reject(away), '/login/finish');
    expect(failed).to.deep.equal({ answer: away, user: null });
  });

  it('ends a login for Passport at an address that cannot be parsed', async () => {
    const admitted = { id: 'customer' };
    const finished = await finishByPassport(() => admitted, '//');
    expect(finished.answer).to.equal(admitted);
  });

  it('needs to know where the app returns to, and a session', async () => {
    const login = loginOf(createFakePlatform());
    expect(await rejection(login.start(visitor(), 'app'))).to.be.instanceOf(ConfigurationError);
    expect(() => loggedInUser({})).to.throw(ConfigurationError, 'no session');
    expect(expressLogin).to.be.a('function');
  });
});
