import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import {
  comeBack,
  type DemoBankWorld,
  failureOf,
  logInByPush,
  openDemoBankWorld,
} from '../support/worlds/demoBankWorld.ts';
import { scanQrCode } from '../support/browser/qrScan.ts';
import { until } from '../support/assertions/waiting.ts';
import { openAsScripted } from '../support/programs/openAsScripted.ts';

describe('Demo Bank: logging in', function () {
  this.timeout(120_000);
  let world: DemoBankWorld;
  let stop = (): Promise<void> => Promise.resolve();
  let address: string;

  before(async function () {
    world = (await openDemoBankWorld()) ?? this.skip();
    stop = world.stop;
    address = `${world.service.origin}/demo`;
    await world.answering('110000000003', '110000000007', '110000000009');
  });

  afterEach(() => world.leave());
  after(() => stop());

  it('by push, while nobody says for a moment whether the certificate is revoked', async () => {
    const { fetch } = globalThis;
    let silent = 0;
    globalThis.fetch = (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      if (silent >= 2 || !/^\/(ocsp|crl)/.test(pathname)) return fetch(input, init);
      silent += 1;
      return Promise.reject(new TypeError('fetch failed'));
    };
    try {
      const visitor = await world.visit();
      await logInByPush(visitor, world.phones.owner.citizen.regNo);
      await visitor.page.locator('#identity').waitFor();
      expect(silent).to.equal(2);
    } finally {
      globalThis.fetch = fetch;
    }
  });

  it('by push: the code, the answer, who it is and why that is believed', async () => {
    const visitor = await world.visit();
    const { page, context } = visitor;
    const [before] = await context.cookies();
    await logInByPush(visitor, world.phones.owner.citizen.regNo);
    await page.getByRole('heading', { name: 'Good day, Бат-Эрдэнэ' }).waitFor();
    const identity = page.locator('#identity');
    expect(await identity.innerText())
      .to.contain('PNOMN-110000000001')
      .and.to.contain('Qualified')
      .and.to.contain(world.phones.owner.documentNumber)
      .and.to.contain('Tamga Personal Issuing CA');
    const [after] = await context.cookies();
    expect(after).to.include({ httpOnly: true, sameSite: 'Lax', path: '/demo' });
    expect(after?.value).to.have.length.greaterThan(40).and.not.to.equal(before?.value);
  });

  it('by push to one phone, by its document number', async () => {
    const visitor = await world.visit();
    await logInByPush(visitor, world.phones.owner.documentNumber);
    await visitor.page.locator('#identity').waitFor();
    expect(await visitor.page.locator('#panel').innerText()).to.contain(
      `/v3/authentication/notification/document/${world.phones.owner.documentNumber}`,
    );
  });

  it('by a QR code that is fresh each second', async () => {
    const { page } = await world.visit();
    await page.getByRole('button', { name: 'Show the code' }).click();
    await page.locator('#qr svg').waitFor();
    const first = await page.locator('#qr').innerHTML();
    await until(async () => (await page.locator('#qr').innerHTML()) !== first);
    const link = scanQrCode(await page.locator('#qr').innerHTML());
    expect(await page.locator('#open-phone').getAttribute('href')).to.contain('elapsedSeconds=');
    const shown = await page.locator('output.code').innerText();
    const { request } = await openAsScripted(world.phones.owner, link);
    expect(request.verificationCode).to.equal(shown);
    await page.locator('#identity').waitFor();
    expect(await page.locator('#identity').innerText()).to.contain('QR code');
  });

  it('with the app on the same device, which returns to the same browser only', async () => {
    const { page } = await world.visit();
    await page.getByRole('button', { name: 'Open the app' }).click();
    const link = (await page.locator('#open-app').getAttribute('href')) ?? '';
    const { returnTo } = await openAsScripted(world.phones.owner, link);
    expect(returnTo).to.match(new RegExp(`^${world.service.origin}/auth/eid/callback\\?state=`));
    await page.getByText('Confirmed. Return here through the app.').waitFor();

    const another = await world.visit();
    await another.page.goto(returnTo ?? '');
    expect(await failureOf(another)).to.equal('wrongBrowser');

    await comeBack(page, returnTo);
    await page.locator('#identity').waitFor();
    expect(await page.locator('#identity').innerText()).to.contain(
      'digest of the session’s secret',
    );
    expect(await page.locator('#panel').innerText()).to.contain('checkCallback(returned');
  });

  it('with the app, and a poll that a login overtakes leaves the new cookie alone', async () => {
    const { page, context } = await world.visit();
    await page.getByRole('button', { name: 'Open the app' }).click();
    const link = (await page.locator('#open-app').getAttribute('href')) ?? '';
    const { returnTo } = await openAsScripted(world.phones.owner, link);
    await page.getByText('Confirmed. Return here through the app.').waitFor();
    const [cookie] = await context.cookies();
    await page.close();
    const withCookie = {
      redirect: 'manual',
      headers: { cookie: `${cookie?.name}=${cookie?.value}` },
    } as const;
    const [, query = ''] = (returnTo ?? '').split('?');
    const returned = await fetch(`${address}/callback?${query}`, withCookie);
    expect(returned.headers.get('location')).to.equal('/demo/account');
    for (const path of ['status', 'link']) {
      const overtaken = await fetch(`${address}/wait/${path}`, withCookie);
      expect(overtaken.status, path).to.equal(401);
      expect(overtaken.headers.getSetCookie(), path).to.deep.equal([]);
    }
  });

  it('with the app, whatever else is opened before it answers', async () => {
    const { page } = await world.visit();
    await page.getByRole('button', { name: 'Open the app' }).click();
    const link = (await page.locator('#open-app').getAttribute('href')) ?? '';
    // Another site can send the browser here, but knows nothing of what is under way.
    await page.goto(`${address}/callback?state=guessed`);
    await page.locator('#open-app').waitFor();
    const { returnTo } = await openAsScripted(world.phones.owner, link);
    await comeBack(page, returnTo);
    await page.locator('#identity').waitFor();
  });

  it('with a return that was forged: nobody is logged in', async () => {
    for (const [name, value] of [
      ['state', 'x'.repeat(22)],
      ['sessionSecretDigest', 'x'.repeat(43)],
      ['userChallengeVerifier', 'x'.repeat(43)],
    ] as const) {
      const visitor = await world.visit();
      const { page } = visitor;
      await page.getByRole('button', { name: 'Open the app' }).click();
      const link = (await page.locator('#open-app').getAttribute('href')) ?? '';
      const { returnTo } = await openAsScripted(world.phones.owner, link);
      const forged = new URL(returnTo ?? '');
      forged.searchParams.set(name, value);
      // The waiting page would leave by itself when the forged return ends the login.
      await page.goto('about:blank');
      await page.goto(forged.href);
      expect(await failureOf(visitor), name).to.equal('wrongBrowser');
      await page.goto(`${address}/account`);
      await page.getByRole('heading', { name: 'Log in' }).waitFor();
    }
  });

  it('says what happened, and what to do, of every answer that is no yes', async () => {
    for (const [id, kind] of [
      ['110000000003', 'refused'],
      ['110000000007', 'wrongCode'],
      ['110000000009', 'phoneUnusable'],
    ] as const) {
      const visitor = await world.visit();
      await logInByPush(visitor, id);
      expect(await failureOf(visitor), id).to.equal(kind);
      expect(await visitor.page.getByRole('heading', { level: 1 }).innerText()).not.to.equal('');
      expect(await visitor.page.locator('.message').innerText()).not.to.match(/[A-Z]+_[A-Z]+/);
      await visitor.page.getByRole('link', { name: 'Try again' }).click();
      await visitor.page.getByRole('heading', { name: 'Log in' }).waitFor();
    }
  });

  it('says beside the field that the number is wrong, and keeps what was typed', async () => {
    const visitor = await world.visit();
    const { page } = visitor;
    const input = page.locator('#id');
    for (const [id, kind] of [
      ['999999999999', 'unknownPerson'],
      ['"nobody"<', 'invalidInput'],
    ] as const) {
      await logInByPush(visitor, id);
      await page.locator(`#id-fault[data-failure=${kind}]`).waitFor();
      expect(new URL(page.url()).pathname).to.equal('/demo/');
      expect(await input.inputValue()).to.equal(id);
      expect(await input.getAttribute('aria-invalid')).to.equal('true');
      expect(await input.getAttribute('aria-describedby')).to.contain('id-fault');
    }
    await page.reload();
    expect(await page.locator('#id-fault').count()).to.equal(0);
  });

  it('is given up by who began it', async () => {
    const { page } = await world.visit();
    await page.getByRole('button', { name: 'Show the code' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await page.goto(`${address}/wait`);
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(page.url()).to.equal(`${address}/`);
  });

  it('ends with signing out', async () => {
    const { page } = await world.customer();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await page.goto(`${address}/account`);
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  });

  it('shows no secret anywhere, and the very lines that run', async () => {
    const { page } = await world.visit();
    await page.getByRole('button', { name: 'Show the code' }).click();
    await page.locator('#qr svg').waitFor();
    await page.locator('details.call summary').first().click();
    const panel = await page.locator('#panel').innerText();
    expect(panel)
      .to.contain('Authorization: Bearer [secret]')
      .and.to.contain('"sessionSecret": "[secret]"')
      .and.to.contain('client.auth.deviceLinkAnonymous(text)')
      .and.to.match(/flows\/loginByQr\.ts:\d+/);
    expect(await page.content()).not.to.contain(world.apiSecret);
  });

  describe('without a browser', () => {
    const post = (path: string, body: string, headers: Record<string, string> = {}) =>
      fetch(address + path, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body,
      });

    it('takes no form that is not its own', async () => {
      const page = await fetch(address);
      const cookie = page.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      const [, csrf = ''] = /name="csrf" value="([\w-]+)"/.exec(await page.text()) ?? [];
      expect((await post('/login/qr', `csrf=${csrf}`, { cookie })).status).to.equal(303);
      for (const [body, headers] of [
        ['', { cookie }],
        ['csrf=', { cookie }],
        [`csrf=${csrf}x`, { cookie }],
        [`csrf=${csrf}`, {}],
      ] as const) {
        expect((await post('/login/qr', body, headers)).status).to.equal(403);
      }
    });

    it('loads nothing of another origin, and cannot be framed', async () => {
      const { headers } = await fetch(address);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).to.contain("default-src 'none'").and.contain("frame-ancestors 'none'");
      expect(policy, 'R11').to.contain(
        "require-trusted-types-for 'script'; trusted-types tamga bank",
      );
      expect(policy).not.to.match(/unsafe|\*|data:/);
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
    });

    it('sends its files compressed, and again only where they have changed', async () => {
      const ask = (headers: Readonly<Record<string, string>>) =>
        fetch(`${address}/public/bank.css`, { headers });
      const { headers, status } = await ask({ 'accept-encoding': 'br' });
      expect(status).to.equal(200);
      expect(headers.get('content-encoding')).to.equal('br');
      expect(headers.get('content-type')).to.equal('text/css; charset=utf-8');
      expect(headers.get('cache-control')).to.equal('no-cache');
      const known = { 'if-none-match': headers.get('etag') ?? '', 'cache-control': 'max-age=0' };
      expect((await ask({ 'accept-encoding': 'br', ...known })).status).to.equal(304);
      const plain = await ask({ 'accept-encoding': 'identity' });
      expect(plain.headers.get('content-encoding')).to.equal(null);
      expect(await plain.text()).to.equal(
        await readFile('client/examples/demo-bank/public/bank.css', 'utf8'),
      );
    });

    it('lives under one name, and has no other pages', async () => {
      const { port } = new URL(address);
      const other = await fetch(`http://localhost:${port}/demo?x=1`, { redirect: 'manual' });
      expect(other.status).to.equal(308);
      expect(other.headers.get('location')).to.equal(`${address}?x=1`);
      expect((await fetch(`${address}/nothing`)).status).to.equal(404);
      expect((await fetch(`${address}/public/../bank.ts`)).status).to.equal(404);
      expect((await fetch(`${address}/wait/link`)).status).to.equal(401);
      expect((await fetch(`${address}/public/%ZZ`)).status).to.equal(404);
    });
  });
});
