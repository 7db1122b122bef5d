import { expect } from 'chai';
import { decodeJwt, exportJWK, generateKeyPair } from 'jose';
import * as openid from 'openid-client';
import pg from 'pg';
import type { IssuedClientSecret } from '../../application/openIdConnect/administerClients.ts';
import type { ClientKey } from '../../domain/oidcClient/settings.ts';
import { type ScriptedPhones, startScriptedPhones } from '../../apps/phone/scripted.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { call } from '../../main/drill/callers.ts';
import { createOidcBrowser, type OidcBrowser, type Shown } from '../support/oidc/oidcBrowser.ts';
import {
  beginLogin,
  discoverAs,
  goThroughLogin,
  logIn,
  redirectUri,
  registerClient,
} from '../support/oidc/oidcLogin.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { anOrganization, aParty, aRight } from '../support/given/wishes.ts';

const citizen = '110000000001';
const another = '110000000002';
const register = '5512345';
const onBehalf = { scope: 'openid organization', on_behalf_of: `NTRMN-${register}` };
const offline = { scope: 'openid offline_access', prompt: 'consent' };

describe('OpenID Connect: requests of clients, and attempts of others', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let phones: ScriptedPhones;
  let issued: IssuedClientSecret;
  let client: openid.Configuration;

  before(async () => {
    demo = await startDemoInstallation({
      SVC_OIDC_REFRESH_TOKEN_DAYS: '3',
    });
    phones = startScriptedPhones([await demo.enrol(citizen), await demo.enrol(another)]);
    await demo.service.organizations.register(anOrganization(register, 'Тамга ХХК', 'TAMGA LLC'));
    issued = await registerClient(demo);
    client = await discoverAs(demo.service.origin, issued);
  });

  after(async () => {
    await phones.stop();
    await demo.stop();
  });

  /** Redirect in response to an authorization request that needs no action in the browser. */
  async function answerTo(
    parameters: Readonly<Record<string, string>>,
    {
      browser = createOidcBrowser(),
      as = client,
    }: { browser?: OidcBrowser; as?: typeof client } = {},
  ): Promise<{ readonly shown: Shown; readonly back: URLSearchParams }> {
    const { url } = await beginLogin(as, parameters);
    const shown = await browser.open(url.href, redirectUri);
    return { shown, back: new URL(shown.url).searchParams };
  }

  async function grantRight(): Promise<void> {
    await demo.service.organizations.grant(register, citizen, aRight('ADMIN'));
  }

  describe('prompt, max_age, acr_values, hints (OpenID Connect Core §3.1.2.1)', () => {
    it('asks nobody anything for `prompt=none`: login_required, consent_required, or a code', async () => {
      expect((await answerTo({ prompt: 'none' })).back.get('error')).to.equal('login_required');
      const { browser } = await logIn(client, { citizen, parameters: { scope: 'openid' } });
      const known = await answerTo({ prompt: 'none', scope: 'openid' }, { browser });
      expect(known.back.get('code')).to.be.a('string');
      const forOther = { ...onBehalf, prompt: 'none' };
      expect((await answerTo(forOther, { browser })).back.get('error')).to.equal('login_required');
      const stranger = await discoverAs(demo.service.origin, await registerClient(demo));
      const unknown = await answerTo({ prompt: 'none' }, { browser, as: stranger });
      expect(unknown.back.get('error')).to.equal('consent_required');
      expect(unknown.back.get('code')).to.equal(null);
    });

    it('asks again for `prompt=login`, and when the login is older than `max_age`', async () => {
      const { browser, tokens } = await logIn(client, { citizen });
      for (const parameters of [{ prompt: 'login' }, { max_age: '0' }]) {
        expect((await answerTo(parameters, { browser })).shown.text).to.include('/start"');
      }
      const recent = await answerTo({ max_age: '3600' }, { browser });
      expect(recent.shown.status).to.equal(0);
      const renewed = await logIn(client, { citizen, browser, parameters: { prompt: 'login' } });
      expect(renewed.tokens.claims()?.auth_time).to.be.at.least(tokens.claims()?.auth_time ?? 0);
    });

    it('takes a class that is high enough, knows an unknown one as a wish, and tells which it was', async () => {
      const { browser } = await logIn(client, { citizen });
      for (const acr of ['http://eidas.europa.eu/LoA/substantial', 'urn:example:unknown']) {
        const { tokens } = await logIn(client, {
          citizen,
          browser,
          parameters: { acr_values: acr },
        });
        expect(tokens.claims()?.['acr']).to.equal('http://eidas.europa.eu/LoA/high');
      }
    });

    it('speaks the language of `ui_locales`, and keeps `login_hint` to itself', async () => {
      const hint = 'УБ85031512';
      const { shown } = await answerTo({ ui_locales: 'en', login_hint: hint });
      expect(shown.text).to.include('lang="en"').and.include(hint);
      expect(decodeURIComponent(shown.url)).not.to.include(hint);
      const { shown: mongolian } = await answerTo({ ui_locales: 'fr mn' });
      expect(mongolian.text).to.include('lang="mn"');
    });

    it('refuses the `id_token_hint` of another client', async () => {
      const stranger = await discoverAs(demo.service.origin, await registerClient(demo));
      const { tokens } = await logIn(stranger, { citizen });
      const { back } = await answerTo({ id_token_hint: tokens.id_token ?? '', prompt: 'none' });
      expect(back.get('error')).to.equal('invalid_request');
    });

    it('gives no code when another citizen logs in than `id_token_hint` names', async () => {
      const { tokens } = await logIn(client, { citizen, parameters: { scope: 'openid' } });
      const begun = await beginLogin(client, {
        scope: 'openid',
        id_token_hint: tokens.id_token ?? '',
      });
      const callback = await goThroughLogin(createOidcBrowser(), begun.url, { citizen: another });
      expect(callback.searchParams.get('error')).to.equal('login_required');
      expect(callback.searchParams.get('code')).to.equal(null);
    });

    it('gives no claim for the asking whose scope the citizen does not agree to', async () => {
      const asked = JSON.stringify({ id_token: { birthdate: { essential: true } } });
      const parameters = { scope: 'openid', claims: asked };
      const own = await discoverAs(demo.service.origin, await registerClient(demo));
      const { tokens } = await logIn(own, { citizen, parameters, agreesTo: ['openid'] });
      expect(tokens.claims()).not.to.have.property('birthdate');
    });
  });

  describe('clients and their secrets', () => {
    it('advertises the ways of authentication that clients are registered with, and takes a signed assertion', async () => {
      expect(client.serverMetadata().token_endpoint_auth_methods_supported).to.have.members([
        ...['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
        'self_signed_tls_client_auth',
      ]);
      const keys = [];
      for (const alg of ['ES256', 'EdDSA'] as const) {
        const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
        const exported = (await exportJWK(publicKey)) as ClientKey;
        keys.push({ privateKey, jwk: { ...exported, alg, use: 'sig' } });
      }
      const keyed = await registerClient(demo, {
        authMethod: 'private_key_jwt',
        keys: keys.map(({ jwk }) => jwk),
      });
      const metadata = client.serverMetadata();
      const as = (key: openid.CryptoKey) => {
        const own = new openid.Configuration(
          metadata,
          keyed.clientId,
          undefined,
          openid.PrivateKeyJwt(key),
        );
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- the tests are without TLS
        openid.allowInsecureRequests(own);
        return own;
      };
      for (const { privateKey } of keys) {
        const wish = { citizen, parameters: { scope: 'openid' } };
        expect((await logIn(as(privateKey), wish)).tokens.claims()?.aud).to.equal(keyed.clientId);
      }
      const foreign = await generateKeyPair('ES256');
      const refused = await rejection(
        logIn(as(foreign.privateKey), { citizen, parameters: { scope: 'openid' } }),
      );
      expect(refused).to.include({ status: 401, error: 'invalid_client' });
    });

    it('serves a client with addresses on several hosts, under the name its sector has for the citizen', async () => {
      const many = await registerClient(demo, {
        redirectUris: [redirectUri, 'http://localhost:3000/callback', 'https://portal.example.mn/'],
      });
      const own = await discoverAs(demo.service.origin, many);
      const { tokens } = await logIn(own, { citizen, parameters: { scope: 'openid' } });
      const one = await logIn(client, { citizen, parameters: { scope: 'openid' } });
      expect(tokens.claims()?.sub).to.equal(one.tokens.claims()?.sub);
    });

    it('ends what the clients of a deactivated relying party have, for good', async () => {
      const { relyingPartyId } = await demo.service.registerRelyingParty(aParty('Other', ['AUTH']));
      const named = { name: 'Other client', nameEn: null };
      const own = await registerClient({ service: demo.service, relyingPartyId }, named);
      const theirs = await discoverAs(demo.service.origin, own);
      const { tokens } = await logIn(theirs, { citizen, parameters: offline });
      const change = (what: string) =>
        call(`${demo.service.origin}/v3/admin/relying-parties/${relyingPartyId}/${what}`, {
          method: 'POST',
        });
      await change('deactivate');
      const refresh = () => rejection(openid.refreshTokenGrant(theirs, tokens.refresh_token ?? ''));
      expect(await refresh()).to.include({ status: 401 });
      const begun = await beginLogin(theirs);
      const shown = await createOidcBrowser().open(begun.url.href, redirectUri);
      expect(shown.status).to.equal(400);
      await change('reactivate');
      // Until the reactor has come to it.
      await eventually(async () => {
        expect(await refresh()).to.include({ error: 'invalid_grant' });
      }, 10_000);
    });

    it('sends nobody away at the logout but to an address that is registered', async () => {
      const { browser, tokens } = await logIn(client, { citizen });
      for (const query of [
        { id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: 'https://evil.example/' },
        { client_id: issued.clientId, post_logout_redirect_uri: 'http://127.0.0.1:9/bye/../evil' },
      ]) {
        const address = `${demo.service.origin}/oidc/logout?${new URLSearchParams(query).toString()}`;
        const shown = await browser.open(address, 'https://evil.example');
        expect(shown.status, JSON.stringify(query)).to.equal(400);
      }
      const unknown = `${demo.service.origin}/oidc/logout?post_logout_redirect_uri=https://evil.example/`;
      const asked = await browser.open(unknown);
      expect(asked.text).not.to.include('evil.example');
    });

    it('has plain PKCE and the implicit flow of nobody', async () => {
      const plain = await answerTo({ code_challenge_method: 'plain' });
      expect(plain.back.get('error')).to.equal('invalid_request');
      const implicit = await answerTo({ response_type: 'id_token' });
      expect(implicit.shown.url).to.include('error=unsupported_response_type');
    });
  });

  describe('acting for an organization', () => {
    beforeEach(() => grantRight());

    it('needs the scope: without it the request is refused', async () => {
      const { scope, ...named } = onBehalf;
      expect(scope).to.include('organization');
      const silent = await answerTo({ ...named, scope: 'openid documents.read' });
      expect(silent.back.get('error')).to.equal('invalid_request');
      const nonsense = await answerTo({ ...onBehalf, on_behalf_of: 'every body' });
      expect(nonsense.back.get('error')).to.equal('invalid_request');
    });

    it('is of the client that asked for it alone: another one in the same browser acts for the citizen', async () => {
      const { browser } = await logIn(client, { citizen, parameters: onBehalf });
      const reading = { scope: 'openid documents.manage documents.read' };
      const { tokens } = await logIn(client, { citizen, browser, parameters: reading });
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      const made = await call(`${demo.service.origin}/documents`, {
        method: 'POST',
        headers,
        body: { title: 'Гэрээ', doc_type: 'CONTRACT' },
      });
      expect(made.body['tenant_id']).not.to.equal(register);
    });

    it('ends with the right: userinfo, refresh and introspection know it at once', async () => {
      const parameters = { ...onBehalf, ...offline, scope: `${onBehalf.scope} offline_access` };
      const { tokens } = await logIn(client, { citizen, parameters });
      const token = tokens.access_token;
      expect(await openid.tokenIntrospection(client, token)).to.include({ active: true });
      await demo.service.organizations.grant(register, another, aRight('ADMIN'));
      await demo.service.organizations.withdraw(register, citizen);
      expect(await openid.tokenIntrospection(client, token)).to.deep.equal({ active: false });
      const sub = tokens.claims()?.sub ?? '';
      expect(await rejection(openid.fetchUserInfo(client, token, sub))).to.be.instanceOf(Error);
      const refused = await rejection(openid.refreshTokenGrant(client, tokens.refresh_token ?? ''));
      expect(refused).to.include({ error: 'invalid_grant' });
    });
  });

  it('lets one of several refreshes at once through, and ends what came of all', async () => {
    const { tokens } = await logIn(client, { citizen, parameters: offline });
    const refresh = (token = '') => openid.refreshTokenGrant(client, token);
    const tries = Array.from({ length: 5 }, () => refresh(tokens.refresh_token));
    const done = await Promise.allSettled(tries);
    const won = done.filter((each) => each.status === 'fulfilled').map(({ value }) => value);
    expect(won).to.have.length(1);
    for (const each of done) {
      if (each.status === 'rejected') {
        expect(each.reason).to.include({ status: 400, error: 'invalid_grant' });
      }
    }
    const token = won[0]?.access_token ?? '';
    expect(await openid.tokenIntrospection(client, token)).to.deep.equal({ active: false });
    expect(await rejection(refresh(won[0]?.refresh_token))).to.include({ error: 'invalid_grant' });
  });

  it('lets refresh tokens live as long as they are used: the grant does not end before them', async () => {
    const { tokens } = await logIn(client, { citizen, parameters: offline });
    const { exp = 0 } = decodeJwt(tokens.id_token ?? '');
    const database = new pg.Client(demo.databaseUrl);
    await database.connect();
    const { rows } = await database.query<{ days: string }>(
      `select extract(epoch from max(expires_at) - to_timestamp($1)) / 86400 as days
         from oidc_state where kind = 'Grant'`,
      [exp],
    );
    await database.end();
    expect(Number(rows[0]?.days)).to.be.greaterThan(300);
  });

  it('N10: admits no access token without its grant, on any route', async () => {
    const { tokens } = await logIn(client, {
      citizen,
      parameters: { scope: 'openid documents.read directory.read' },
    });
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const documents = () => call(`${demo.service.origin}/documents?limit=1`, { headers });
    expect(await documents()).to.include({ status: 200 });
    // State that a revocation leaves while a token is issued: the token is stored after its grant was removed.
    const database = new pg.Client(demo.databaseUrl);
    await database.connect();
    await database.query(`delete from oidc_state where kind = 'Grant' and civil_id = $1`, [
      citizen,
    ]);
    await database.end();

    const routes = demo.service.routes.filter(
      ({ guard }) => guard.security?.includes('accessToken') === true,
    );
    expect(routes.map(({ path }) => path)).to.include('/documents');
    for (const { method, path, name } of routes) {
      const at = `${demo.service.origin}${path.replaceAll(/:\w+/gu, '1')}`;
      expect((await call(at, { method: method as 'GET', headers })).status, name).to.equal(401);
    }
    const token = tokens.access_token;
    const sub = tokens.claims()?.sub ?? '';
    expect(await rejection(openid.fetchUserInfo(client, token, sub))).to.be.instanceOf(Error);
    expect(await openid.tokenIntrospection(client, token)).to.deep.equal({ active: false });
  });

  // Last: nobody of the others may be forgotten before.
  describe('a forgotten person', () => {
    it('has no data of a forgotten person, and admits no token of theirs', async () => {
      const { tokens, browser } = await logIn(client, { citizen: another, parameters: offline });
      const rowsOf = async () => {
        const database = new pg.Client(demo.databaseUrl);
        await database.connect();
        const { rows } = await database.query<{ found: string }>(
          'select kind as found from oidc_state where civil_id = $1',
          [another],
        );
        await database.end();
        return rows.map(({ found }) => found);
      };
      expect(await rowsOf()).to.include.members([
        'Session',
        'Grant',
        'RefreshToken',
        'AccessToken',
      ]);
      await demo.service.forgetPerson(another);
      const token = tokens.access_token;
      const sub = tokens.claims()?.sub ?? '';
      expect(await rejection(openid.fetchUserInfo(client, token, sub))).to.be.instanceOf(Error);
      expect(await openid.tokenIntrospection(client, token)).to.deep.equal({ active: false });
      const refused = await rejection(openid.refreshTokenGrant(client, tokens.refresh_token ?? ''));
      expect(refused).to.include({ error: 'invalid_grant' });
      const { shown } = await answerTo({}, { browser });
      expect(shown.text).to.include('/start"').and.not.include('Сарангэрэл');
      const page = await browser.open(`${demo.service.origin}/login/consents`);
      expect(page.text).to.include('id="log-in"');
      await eventually(async () => expect(await rowsOf()).to.deep.equal([]), 10_000);
    });
  });
});
