import { expect } from 'chai';
import {
  failureOf,
  logInByPush,
  type LoginWorld,
  openLoginWorld,
} from '../support/worlds/loginWorld.ts';
import { firstLook, looksAt } from '../support/browser/pageLooks.ts';

const owner = '110000000001';
const silent = '110000000008';
const choosingWrong = '110000000007';

describe('The login pages: appearance, and attempts from another browser', function () {
  this.timeout(240_000);
  let world: LoginWorld;
  let stop = (): Promise<void> => Promise.resolve();

  before(async function () {
    world = (await openLoginWorld([silent, choosingWrong])) ?? this.skip();
    stop = world.stop;
  });

  afterEach(() => world.leave());
  after(() => stop());

  for (const language of ['mn', 'en'] as const) {
    it(`are accessible and fit in both themes and widths: ${language}`, async () => {
      const visitor = await world.visit(firstLook[language]);
      const { page } = visitor;
      const look = looksAt(page, 'login', language);
      await world.begin(visitor, { prompt: 'consent', scope: 'openid profile email organization' });
      await look('choose');
      for (const channel of ['qr', 'app'] as const) {
        await page.locator(`form.${channel} button`).click();
        await page.locator(channel === 'qr' ? 'img.qr' : '#open-app').waitFor();
        await look(channel);
        await page.locator('form[action$="/restart"] button').click();
      }
      await logInByPush(visitor, silent);
      await page.locator('.code').waitFor();
      await look('push');
      await page.locator('form[action$="/restart"] button').click();
      await logInByPush(visitor, '199999999999');
      await failureOf(visitor);
      await look('wrongNumber');
      await logInByPush(visitor, choosingWrong);
      await page.locator('.message').waitFor();
      await look('failed');
      await page.locator('.message button').click();
      await logInByPush(visitor, owner);
      await page.locator('form[action$="/organization"]').waitFor();
      await look('organization');
      await page.locator('form[action$="/organization"] button').click();
      await page.locator('button[value=allow]').waitFor();
      await look('consent');
      await page.goto(`${world.origin}/oidc/logout`);
      await page.locator('button[name=logout]').waitFor();
      await look('logout');
      await page.locator('button[name=logout]').click();
      await page.locator('.message.good').waitFor();
      await look('loggedOut');
      await page.goto(`${world.origin}/oidc/authorize?client_id=nobody`);
      await page.locator('.message.bad').waitFor();
      await look('error');
    });
  }

  it('work without scripts', async () => {
    const context = await world.browser.newContext({ javaScriptEnabled: false, locale: 'en-GB' });
    const page = await context.newPage();
    const visitor = { page };
    const begun = await world.begin(visitor, { prompt: 'consent', scope: 'openid profile' });
    await logInByPush(visitor, owner);
    await page.locator('button[value=allow]').click();
    expect((await world.finish(visitor, begun))['given_name']).to.equal('Бат-Эрдэнэ');
    await context.close();
  });

  it('show nothing of a login to another browser, and end nothing for it', async () => {
    const visitor = await world.visit();
    const stranger = await world.visit();
    await world.begin(visitor);
    const address = visitor.page.url();
    await stranger.page.goto(address);
    expect(await failureOf(stranger)).to.equal('wrongBrowser');
    for (const form of ['start', 'organization', 'consent', 'abort']) {
      const answer = await stranger.page.request.post(`${address}/${form}`, {
        form: { id: owner },
      });
      expect(answer.status(), form).to.equal(404);
    }
    expect((await stranger.page.request.get(`${address}/qr.svg`)).status()).to.equal(404);
    await stranger.page.goto(`${address.slice(0, -1)}x`);
    expect(await failureOf(stranger), 'another uid').to.equal('wrongBrowser');
  });

  it('take no form from another site', async () => {
    const visitor = await world.visit();
    await world.begin(visitor);
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      const answer = await visitor.page.request.post(`${visitor.page.url()}/start`, {
        headers,
        form: { id: owner },
        maxRedirects: 0,
      });
      expect(answer.status(), JSON.stringify(headers)).to.equal(403);
    }
  });

  it('take no ticket of another login, and no login twice', async () => {
    const first = await world.visit();
    await world.begin(first);
    await logInByPush(first, silent);
    await first.page.locator('.code').waitFor();
    const cookies = await first.context.cookies(first.page.url());
    const ticket = cookies.find(({ name }) => name === 'tamga_ticket')?.value ?? '';
    expect(ticket).not.to.equal('');
    await first.page.goto('about:blank');
    await world.begin(first);
    const path = new URL(first.page.url()).pathname;
    await first.context.addCookies([
      { name: 'tamga_ticket', value: ticket, domain: '127.0.0.1', path },
    ]);
    await first.page.reload();
    await first.page.locator('#id').waitFor();

    const again = await world.visit();
    const begun = await world.begin(again, { prompt: 'consent', scope: 'openid' });
    const address = again.page.url();
    await logInByPush(again, owner);
    await again.page.locator('button[value=allow]').click();
    await world.finish(again, begun);
    await again.page.goto(address);
    expect(await failureOf(again), 'it is over').to.equal('wrongBrowser');
  });

  it('cannot be framed, and run nothing a client calls itself', async () => {
    const name = `<img src=x onerror="alert(1)">"'`;
    const configuration = await world.another({ name, nameEn: name });
    const visitor = await world.visit();
    const { page } = visitor;
    const { client_id: clientId } = configuration.clientMetadata();
    await world.begin(visitor, { client_id: clientId });
    expect(await page.getByRole('heading', { level: 1 }).innerText()).to.contain(name);
    expect(await page.locator('main img').count()).to.equal(0);
    const headers = (await page.reload())?.headers() ?? {};
    expect(headers['x-frame-options']).to.equal('DENY');
    expect(headers['content-security-policy']).to.contain("frame-ancestors 'none'");
    expect(headers['content-security-policy']).not.to.contain('unsafe');
    expect(headers['cache-control']).to.equal('no-store');
  });
});
