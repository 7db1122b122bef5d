import { expect } from 'chai';
import * as openid from 'openid-client';
import pg from 'pg';
import type { IssuedClientSecret } from '../../application/openIdConnect/administerClients.ts';
import { type Given, given } from '../support/given/given.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { createOidcBrowser, type OidcBrowser, type Shown } from '../support/oidc/oidcBrowser.ts';
import {
  answer,
  type BegunLogin,
  beginLogin,
  discoverAs,
  goThroughLogin,
  logIn,
  redirectUri,
  registerClient,
} from '../support/oidc/oidcLogin.ts';

const citizen = '110000000001';

/** A login in a tab of a browser. */
interface Tab {
  readonly begun: BegunLogin;
  readonly shown: Shown;
}

type Tokens = Awaited<ReturnType<typeof openid.authorizationCodeGrant>>;

/** Claims of the UserInfo endpoint, which checks all that an access token rests on. */
const expectGood = async (as: openid.Configuration, tokens: Tokens) =>
  openid.fetchUserInfo(as, tokens.access_token, tokens.claims()?.sub ?? '');

describe('OpenID Connect: clients with the settings their software comes with', function () {
  this.timeout(60_000);
  let demo: Given<'citizen'>;
  let issued: IssuedClientSecret;
  let client: openid.Configuration;

  before(async () => {
    demo = await given({ phones: { citizen }, answering: ['citizen'] });
  });

  beforeEach(async () => {
    issued = await registerClient(demo);
    client = await discoverAs(demo.service.origin, issued);
  });

  after(() => demo.stop());

  describe('offline_access without prompt=consent (OpenID Connect Core §11)', () => {
    const offline = { scope: 'openid offline_access' };

    it('is asked for on the page, and gives a refresh token then and whenever it was agreed to', async () => {
      const browser = createOidcBrowser();
      const { url } = await beginLogin(client, offline);
      let shown = await browser.open(url.href, redirectUri);
      while (!shown.text.includes('/consent"')) shown = await answer(browser, shown, { citizen });
      expect(shown.text).to.include('value="offline_access"');

      const first = await logIn(client, { citizen, browser, parameters: offline });
      const again = await logIn(client, { citizen, browser, parameters: offline });

      for (const { tokens } of [first, again]) {
        expect(tokens.scope).to.equal('openid offline_access');
        const renewed = await openid.refreshTokenGrant(client, tokens.refresh_token ?? '');
        expect(renewed.refresh_token).to.be.a('string');
      }
    });

    it('is not given against the will of the citizen, and not without a page', async () => {
      const { browser, tokens } = await logIn(client, {
        citizen,
        parameters: offline,
        agreesTo: ['openid'],
      });
      expect(tokens).not.to.have.property('refresh_token');
      const silent = { ...offline, prompt: 'none' };
      const unasked = await logIn(client, { citizen, browser, parameters: silent });
      expect(unasked.tokens).not.to.have.property('refresh_token');
    });

    it('is asked for in a pushed request, too', async () => {
      const { url, ...begun } = await beginLogin(client, offline);
      const pushed = await openid.buildAuthorizationUrlWithPAR(client, url.searchParams);
      const callback = await goThroughLogin(createOidcBrowser(), pushed, { citizen });
      const tokens = await openid.authorizationCodeGrant(client, callback, {
        pkceCodeVerifier: begun.verifier,
        expectedState: begun.state,
        expectedNonce: begun.nonce,
      });
      expect(tokens.refresh_token).to.be.a('string');
    });

    it('lets a grant of before live as long as its refresh tokens', async () => {
      const { browser } = await logIn(client, { citizen, parameters: { scope: 'openid' } });
      await logIn(client, { citizen, browser, parameters: offline });
      const database = new pg.Client(demo.databaseUrl);
      await database.connect();
      const { rows } = await database.query<{ days: string }>(
        `select extract(epoch from expires_at - now()) / 86400 as days
           from oidc_state where kind = 'Grant' and client_id = $1`,
        [issued.clientId],
      );
      await database.end();
      expect(rows.map(({ days }) => Number(days) > 300)).to.deep.equal([true]);
    });
  });

  describe('PKCE (RFC 9700 §2.1.1)', () => {
    async function logInWithout(as: openid.Configuration, ...left: readonly string[]) {
      const { url, state, nonce } = await beginLogin(as, { scope: 'openid' });
      for (const name of left) url.searchParams.delete(name);
      const callback = await goThroughLogin(createOidcBrowser(), url, { citizen });
      return openid.authorizationCodeGrant(as, callback, {
        expectedState: state,
        expectedNonce: nonce,
      });
    }
    const challenge = ['code_challenge', 'code_challenge_method'];

    it('may be left out by a client that is registered so, for a nonce', async () => {
      const lenient = await registerClient(demo, { requirePkce: false });
      const as = await discoverAs(demo.service.origin, lenient);
      const tokens = await logInWithout(as, ...challenge);
      expect(tokens.claims()?.aud).to.equal(lenient.clientId);
      for (const refused of [
        await rejection(logInWithout(as, ...challenge, 'nonce')),
        await rejection(logInWithout(client, ...challenge)),
      ]) {
        expect(refused).to.include({ error: 'invalid_request' });
      }
      const { tokens: withIt } = await logIn(as, { citizen, parameters: { scope: 'openid' } });
      expect(withIt.access_token).to.be.a('string');
    });

    it('is never left out by a client without a secret', async () => {
      const refused = await rejection(
        registerClient(demo, { authMethod: 'none', requirePkce: false }),
      );
      expect(refused).to.have.nested.property('errors[0].pointer', '/requirePkce');
    });
  });

  describe('Two tabs of one browser', () => {
    const plain = { scope: 'openid' };

    /** Goes on until the consent page is there. */
    async function upToConsent(browser: OidcBrowser, as: openid.Configuration): Promise<Tab> {
      const begun = await beginLogin(as, plain);
      let shown = await browser.open(begun.url.href, redirectUri);
      while (!shown.text.includes('/consent"')) shown = await answer(browser, shown, { citizen });
      return { begun, shown };
    }

    async function tokensOf(as: openid.Configuration, { begun, shown }: Tab) {
      return openid.authorizationCodeGrant(as, new URL(shown.url), {
        pkceCodeVerifier: begun.verifier,
        expectedState: begun.state,
        expectedNonce: begun.nonce,
      });
    }

    it('that log in at one client both do, and stay so', async () => {
      const browser = createOidcBrowser();
      const { url } = await beginLogin(client, plain);
      const before = await browser.open(url.href, redirectUri);
      expect(before.text).to.include('/start"');
      const first = await upToConsent(browser, client);
      const second = await upToConsent(browser, client);
      const agreed = await answer(browser, first.shown, { citizen });
      const tokens = await tokensOf(client, { ...first, shown: agreed });
      const agreedToo = await answer(browser, second.shown, { citizen });
      const others = await tokensOf(client, { ...second, shown: agreedToo });

      await expectGood(client, tokens);
      await expectGood(client, others);
      const last = await answer(browser, before, { citizen });
      expect(last.text, 'the login of the first tab is asked for').not.to.include('/start"');
    });

    it('that come back at the same time to several clients lose none of them', async () => {
      const browser = createOidcBrowser();
      const clients = await Promise.all(
        Array.from({ length: 6 }, async () =>
          discoverAs(demo.service.origin, await registerClient(demo)),
        ),
      );
      for (const each of clients) await logIn(each, { citizen, parameters: plain });
      await logIn(client, { citizen, browser, parameters: plain });

      const tabs = await Promise.all(
        clients.map(async (as) => {
          const begun = await beginLogin(as, plain);
          return { as, begun, shown: await browser.open(begun.url.href, redirectUri) };
        }),
      );

      for (const { as, ...tab } of tabs) {
        expect(tab.shown.status, tab.shown.text).to.equal(0);
        await expectGood(as, await tokensOf(as, tab));
      }
    });
  });

  describe('Claims asked for by name (OpenID Connect Core §5.5)', () => {
    const asking = (claims: object, scope = 'openid') => ({
      scope,
      claims: JSON.stringify(claims),
    });
    const userInfo = async (tokens: Tokens, as = client) => expectGood(as, tokens);
    const essential = { essential: true };

    it('are given where they are asked for, once their scope was agreed to, and nothing beside them', async () => {
      const parameters = asking({ userinfo: { email: essential, name: null } });
      const { tokens, browser } = await logIn(client, { citizen, parameters });
      expect(await userInfo(tokens)).to.include({ email: 'bat-erdene@citizen.example' });
      expect(await userInfo(tokens)).not.to.have.any.keys('name', 'email_verified');
      expect(tokens.claims()).not.to.have.any.keys('email', 'name');
      const silent = { ...asking({ id_token: { email: essential } }), prompt: 'none' };
      const again = await logIn(client, { citizen, browser, parameters: silent });
      expect(again.tokens.claims()).to.include({ email: 'bat-erdene@citizen.example' });
    });

    it('ask for consent to scopes that the client may have, where they are essential', async () => {
      const limited = await registerClient(demo, { scopes: ['openid', 'email'] });
      const as = await discoverAs(demo.service.origin, limited);
      const voluntary = { userinfo: { email: null }, id_token: { org_id: essential } };
      for (const claims of [voluntary, { userinfo: { name: essential, org_id: essential } }]) {
        const { tokens } = await logIn(as, { citizen, parameters: asking(claims) });
        expect(await userInfo(tokens, as)).to.have.all.keys('sub', 'acr', 'amr', 'auth_time');
      }
    });

    it('are asked once: who refuses logs in without them, and may agree later', async () => {
      const parameters = asking({ id_token: { name: essential } });
      const refusing = { citizen, parameters, agreesTo: ['openid'] as const };
      const { browser, tokens } = await logIn(client, refusing);
      expect(tokens.claims()).not.to.have.property('name');
      const silent = { ...parameters, prompt: 'none' };
      const again = await logIn(client, { citizen, browser, parameters: silent });
      expect(again.tokens.claims()).not.to.have.property('name');
      const asked = { scope: 'openid profile', prompt: 'consent' };
      const later = await logIn(client, { citizen, browser, parameters: asked });
      expect(later.tokens.claims()).to.include({ name: 'Дорж Бат-Эрдэнэ' });
    });

    it('are in the ID token of a client that has no others there', async () => {
      const conform = await registerClient(demo, { conformIdTokenClaims: true });
      const as = await discoverAs(demo.service.origin, conform);
      const parameters = asking({ id_token: { given_name: null } }, 'openid profile');
      const { tokens } = await logIn(as, { citizen, parameters });
      expect(tokens.claims()).to.include({ given_name: 'Бат-Эрдэнэ' });
      expect(tokens.claims()).not.to.have.any.keys('name', 'birthdate');
    });

    it('name a class of the login, and who is to log in', async () => {
      const classOf = (...values: string[]) =>
        asking({ id_token: { acr: { ...essential, values } } });
      const { tokens, browser } = await logIn(client, {
        citizen,
        parameters: classOf('http://eidas.europa.eu/LoA/substantial'),
      });
      expect(tokens.claims()).to.include({ acr: 'http://eidas.europa.eu/LoA/high' });
      const other = asking({ id_token: { sub: { value: 'somebody else' } } });
      const malformed = asking({ id_token: { acr: { values: 'high' } } });
      for (const [parameters, error] of [
        [classOf('urn:example:unknown'), 'unmet_authentication_requirements'],
        [{ ...other, prompt: 'none' }, 'login_required'],
        [other, 'login_required'],
        [malformed, 'invalid_request'],
      ] as const) {
        const refused = await rejection(logIn(client, { citizen, browser, parameters }));
        expect(refused).to.include({ error });
      }
    });
  });

  it('leaves claims of scopes to the UserInfo endpoint for a client that is registered so (§5.4)', async () => {
    const conform = await registerClient(demo, { conformIdTokenClaims: true });
    const as = await discoverAs(demo.service.origin, conform);
    const { tokens } = await logIn(as, { citizen });
    const claims = tokens.claims();
    expect(claims).not.to.have.any.keys('name', 'birthdate', 'ge_id', 'email');
    expect(claims).to.include({ acr: 'http://eidas.europa.eu/LoA/high' });
    const told = await openid.fetchUserInfo(as, tokens.access_token, claims?.sub ?? '');
    expect(told).to.include({ given_name: 'Бат-Эрдэнэ', email: 'bat-erdene@citizen.example' });
  });

  it('knows no token that is not its own, and revokes it without a word (RFC 7662 §2.2, RFC 7009 §2.2)', async () => {
    const own = await logIn(client, { citizen, parameters: { scope: 'openid offline_access' } });
    const stranger = await discoverAs(demo.service.origin, await registerClient(demo));
    const code = own.callback.searchParams.get('code') ?? '';
    const jws = own.tokens.id_token ?? '';
    const [header = ''] = jws.split('.');
    const unknown = {
      code: [client, code],
      'ID token': [client, jws],
      JWE: [client, `${header}.AA.AA.AA.AA`],
      'header alone': [client, `${header}..`],
      'no token': [client, 'абв\u0000\n'],
      long: [client, 'x'.repeat(20_000)],
      'access token of another': [stranger, own.tokens.access_token],
      'refresh token of another': [stranger, own.tokens.refresh_token ?? ''],
    } as const;
    for (const [what, [as, token]] of Object.entries(unknown)) {
      for (const hint of [undefined, 'refresh_token', 'urn:unknown']) {
        const parameters = hint === undefined ? undefined : { token_type_hint: hint };
        const told = await openid.tokenIntrospection(as, token, parameters);
        expect(told, what).to.deep.equal({ active: false });
      }
      if (what !== 'code') await openid.tokenRevocation(as, token);
    }
    const still = await openid.tokenIntrospection(client, own.tokens.refresh_token ?? '');
    expect(still).to.include({ active: true });
  });
});
