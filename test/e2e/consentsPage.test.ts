import { expect } from 'chai';
import * as openid from 'openid-client';
import type { Visitor } from '../support/browser/visitors.ts';
import {
  agree,
  logInByPush,
  type LoginWorld,
  openLoginWorld,
} from '../support/worlds/loginWorld.ts';
import { firstLook, looksAt } from '../support/browser/pageLooks.ts';
import { rejection } from '../support/assertions/rejection.ts';

const owner = '110000000001';
const second = '110000000002';

describe('The page of a citizen’s consents', function () {
  this.timeout(240_000);
  let world: LoginWorld;
  let stop = (): Promise<void> => Promise.resolve();
  let address: string;

  before(async function () {
    world = (await openLoginWorld([second])) ?? this.skip();
    stop = world.stop;
    address = `${world.origin}/login/consents`;
  });

  afterEach(() => world.leave());
  after(() => stop());

  /** Gives the world's client a consent, in a browser that is logged in afterwards. */
  async function consenting(visitor: Visitor, id: string, scope = 'openid profile email') {
    const begun = await world.begin(visitor, { prompt: 'consent', scope });
    await logInByPush(visitor, id);
    await visitor.page.locator('button[value=allow], #organization, .pick').first().waitFor();
    await agree(visitor);
    return begun;
  }

  async function logInHere(visitor: Visitor, id: string): Promise<void> {
    await visitor.page.goto(address);
    await visitor.page.locator('#log-in').click();
    await logInByPush(visitor, id);
    await visitor.page.locator('h1').getByText('My consents').waitFor();
  }

  for (const language of ['mn', 'en'] as const) {
    it(`is accessible and fits in both themes and widths: ${language}`, async () => {
      const visitor = await world.visit(firstLook[language]);
      const { page } = visitor;
      const look = looksAt(page, 'consents', language);
      await page.goto(address);
      await look('before');
      await world.finish(visitor, await consenting(visitor, owner));
      await page.goto(address);
      await page.locator('[data-client]').waitFor();
      await look('list');
      await page.locator('[data-client] button').first().click();
      await page.locator('[role=status]').waitFor();
      await look('withdrawn');
    });
  }

  it('is reached from the page that asks for a consent, and after logging out', async () => {
    const visitor = await world.visit();
    const { page, context } = visitor;
    await world.begin(visitor, { prompt: 'consent', scope: 'openid' });
    await logInByPush(visitor, owner);
    await page.locator('button[value=allow]').waitFor();
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      page.locator('a[href="/login/consents"]').click(),
    ]);
    await opened.getByRole('heading', { name: 'My consents' }).waitFor();
    await page.goto(`${world.origin}/oidc/logout`);
    await page.locator('button[name=logout]').click();
    await page.locator('.message.good a[href="/login/consents"]').click();
    await page.locator('#log-in').waitFor();
  });

  it('withdraws at once: tokens end, the page says so, and the client asks again', async () => {
    const visitor = await world.visit();
    const { page } = visitor;
    const scope = 'openid profile offline_access';
    const begun = await consenting(visitor, owner, scope);
    await page.waitForURL((url) => url.href.startsWith(`${world.clientOrigin}/callback`));
    const tokens = await openid.authorizationCodeGrant(world.configuration, new URL(page.url()), {
      pkceCodeVerifier: begun.verifier,
      expectedState: begun.state,
      expectedNonce: begun.nonce,
    });
    const { client_id: clientId } = world.configuration.clientMetadata();
    await page.goto(address);
    const card = page.locator(`[data-client="${clientId}"]`);
    expect(await card.locator('li').count()).to.equal(3);
    await card.getByRole('button').click();
    await page.getByText('Withdrawn.').waitFor();
    expect(await card.count()).to.equal(0);
    const token = tokens.access_token;
    expect(await openid.tokenIntrospection(world.configuration, token)).to.deep.equal({
      active: false,
    });
    const refused = openid.refreshTokenGrant(world.configuration, tokens.refresh_token ?? '');
    expect(await rejection(refused)).to.include({ error: 'invalid_grant' });
    await world.begin(visitor, { scope: 'openid profile' });
    await page.locator('button[value=allow]').waitFor();
  });

  it('asks for an eID login, not for a consent to itself, and shows no one else’s', async () => {
    const first = await world.visit();
    await world.finish(first, await consenting(first, owner));
    const visitor = await world.visit();
    await logInHere(visitor, second);
    expect(visitor.page.url()).to.equal(address);
    expect(await visitor.page.locator('[data-client]').count()).to.equal(0);
    expect(await visitor.page.locator('main').innerText()).to.include('Сарангэрэл');
  });

  it('takes no withdrawal from another site, and none of a browser that is not logged in', async () => {
    const visitor = await world.visit();
    await world.finish(visitor, await consenting(visitor, owner));
    const { client_id: client } = world.configuration.clientMetadata();
    const from = (given: Visitor, headers = {}) =>
      given.page.request.post(`${address}/withdraw`, {
        form: { client },
        headers,
        maxRedirects: 0,
      });
    expect((await from(visitor, { origin: 'https://evil.example' })).status()).to.equal(403);
    expect((await from(visitor, { 'sec-fetch-site': 'cross-site' })).status()).to.equal(403);
    const stranger = await world.visit();
    const unknown = await from(stranger);
    expect(unknown.headers()['location']).to.equal('/login/consents');
    await visitor.page.goto(address);
    expect(await visitor.page.locator(`[data-client="${client}"]`).count()).to.equal(1);
  });

  it('gives nobody tokens of its own', async () => {
    const answer = await fetch(`${world.origin}/oidc/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('tamga:guess').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'authorization_code', code: 'x' }),
    });
    expect(answer.status).to.equal(401);
  });

  it('belongs to who logged in last: another citizen in the same browser takes the place of the first', async () => {
    const visitor = await world.visit();
    await world.finish(visitor, await consenting(visitor, owner));
    const begun = await world.begin(visitor, { prompt: 'login consent', scope: 'openid profile' });
    await logInByPush(visitor, second);
    await agree(visitor);
    expect((await world.finish(visitor, begun))['given_name']).to.equal('Сарангэрэл');
    await visitor.page.goto(address);
    expect(await visitor.page.locator('main').innerText()).to.include('Сарангэрэл');
  });

  it('knows a login for an organization as the citizen’s own', async () => {
    const visitor = await world.visit();
    const { page } = visitor;
    await world.finish(visitor, await consenting(visitor, owner));
    const begun = await world.begin(visitor, {
      scope: 'openid organization',
      prompt: 'consent',
      on_behalf_of: 'NTRMN-5512345',
    });
    await logInByPush(visitor, owner);
    expect(await page.locator('#acts-for').innerText()).to.include('5512345');
    await agree(visitor);
    expect(await world.finish(visitor, begun)).to.include({ org_id: 'NTRMN-5512345' });
    await page.goto(address);
    await page.locator('[data-client]').first().waitFor();
  });
});
