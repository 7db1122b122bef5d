import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { expect } from 'chai';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import * as openid from 'openid-client';
import type { IssuedClientSecret } from '../../application/openIdConnect/administerClients.ts';
import type { OidcClientSettings } from '../../domain/oidcClient/settings.ts';
import { readApiOptions } from '../../main/cli/apiOptions.ts';
import { call } from '../../main/drill/callers.ts';
import { type Given, given } from '../support/given/given.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { createOidcBrowser, type OidcBrowser } from '../support/oidc/oidcBrowser.ts';
import {
  answer,
  beginLogin,
  discoverAs,
  goThroughLogin,
  logIn,
  redirectUri,
  registerClient,
} from '../support/oidc/oidcLogin.ts';
import { shownBlock } from '../support/programs/shownBlocks.ts';

const citizen = '110000000001';
const page = 'docs/protect-your-api.md';
const audience = 'https://orders.example.mn/';
const reading = { resource: audience, scope: 'openid orders.read' };

/** The code of an OAuth error. */
async function errorOf(work: Promise<unknown>): Promise<string> {
  const error = await rejection(work);
  return error instanceof openid.ResponseBodyError ? error.error : String(error);
}

describe('An API of a relying party', function () {
  this.timeout(60_000);
  let demo: Given<'citizen'>;
  let scopes: OidcClientSettings['apiScopes'];
  /** Checks its tokens itself. */
  let api: IssuedClientSecret;
  /** Asks about its tokens. */
  let asking: IssuedClientSecret;
  let issued: IssuedClientSecret;
  let client: openid.Configuration;
  let jwks: ReturnType<typeof createRemoteJWKSet>;
  let directory: string;

  before(async () => {
    demo = await given({ phones: { citizen }, answering: ['citizen'] });
    directory = await mkdtemp(join(tmpdir(), 'tamga-api-'));
    const file = join(directory, 'scopes.json');
    await writeFile(file, shownBlock(page, 'scopes'));
    const options = { audience, apiScopes: file, accessTokenFormat: 'jwt', api: [] };
    const settings = await readApiOptions(options);
    scopes = settings.apiScopes;
    api = await registerApi(settings);
    asking = await registerApi({
      audience: 'urn:example:archive',
      apiScopes: scopes,
      accessTokenFormat: 'opaque',
      accessTokenSeconds: 600,
    });
    issued = await registerClient(demo, { apis: [api.clientId, asking.clientId] });
    client = await discoverAs(demo.service.origin, issued);
    jwks = createRemoteJWKSet(new URL(`${demo.service.origin}/oidc/jwks`));
  });

  after(async () => {
    await demo.stop();
    await rm(directory, { recursive: true, force: true });
  });

  function registerApi(settings: Partial<OidcClientSettings>) {
    return registerClient(demo, {
      name: 'Захиалга',
      nameEn: 'Orders',
      redirectUris: [],
      postLogoutRedirectUris: [],
      scopes: ['openid'],
      sector: 'orders.example.mn',
      ...settings,
    });
  }

  /** Another client of this relying party. */
  async function another(settings: Partial<OidcClientSettings>) {
    const own = await registerClient(demo, settings);
    return { ...own, configuration: await discoverAs(demo.service.origin, own) };
  }

  async function tokenOf(
    configuration: openid.Configuration,
    parameters: Readonly<Record<string, string>> = reading,
  ) {
    return (await logIn(configuration, { citizen, parameters })).tokens;
  }

  /** A token that is good with a DPoP proof of its key alone. */
  async function boundTokenOf(configuration: openid.Configuration): Promise<string> {
    const { url, verifier, state, nonce } = await beginLogin(configuration, reading);
    const callback = await goThroughLogin(createOidcBrowser(), url, { citizen });
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce };
    const DPoP = openid.getDPoPHandle(configuration, await openid.randomDPoPKeyPair('ES256'));
    const bound = { DPoP };
    return (await openid.authorizationCodeGrant(configuration, callback, checks, undefined, bound))
      .access_token;
  }

  /** The OAuth error of an authorization request. */
  async function refusalOf(
    configuration: openid.Configuration,
    parameters: Readonly<Record<string, string>>,
  ) {
    const { url } = await beginLogin(configuration, parameters);
    const shown = await createOidcBrowser().open(url.href, redirectUri);
    return new URL(shown.url).searchParams.get('error');
  }

  /** Goes to the consent and shows it. */
  async function consentOf(browser: OidcBrowser, url: URL) {
    let shown = await browser.open(url.href, redirectUri);
    for (let step = 0; step < 6 && !shown.text.includes('/consent"'); step += 1) {
      shown = await answer(browser, shown, { citizen });
    }
    return shown;
  }

  it('gets a JWT for itself alone, which names the citizen as its sector does (RFC 9068 §2)', async () => {
    const tokens = await tokenOf(client);
    const { payload, protectedHeader } = await jwtVerify(tokens.access_token, jwks, {
      issuer: demo.service.origin,
      audience,
      typ: 'at+jwt',
      requiredClaims: ['jti', 'iat', 'exp', 'sub', 'auth_time', 'acr'],
    });
    expect(protectedHeader.alg).to.equal('ES256');
    expect(payload).to.include({ client_id: issued.clientId, scope: 'orders.read' });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).to.equal(300);
    expect(tokens.expires_in).to.equal(300);
    expect(payload.sub).not.to.equal(tokens.claims()?.sub);
    const elsewhere = await another({ sector: 'elsewhere', apis: [api.clientId] });
    const theirs = decodeJwt((await tokenOf(elsewhere.configuration)).access_token);
    expect(theirs.sub).to.equal(payload.sub);
    expect(JSON.stringify(payload)).not.to.include(citizen);
  });

  it('is at another address than the provider, whose tokens are for UserInfo and the platform', async () => {
    const own = { audience: `${demo.service.origin}/orders`, apiScopes: scopes };
    const refused = { detail: 'Must not be an address of the provider.' };
    expect(await rejection(registerApi(own))).to.include(refused);
    const { audience: edited } = own;
    const { clientId } = await registerApi({
      audience: 'urn:example:elsewhere',
      apiScopes: scopes,
    });
    const change = demo.service.openIdConnect.edit(clientId, { audience: edited });
    expect(await rejection(change)).to.include(refused);
  });

  it('is asked for by clients registered for it, and while it is active (RFC 8707 §2)', async () => {
    const stranger = await another({});
    expect(await refusalOf(stranger.configuration, reading)).to.equal('invalid_target');
    for (const resource of ['https://unknown.example/', `${audience}#x`, 'orders', api.clientId]) {
      expect(await refusalOf(client, { ...reading, resource }), resource).to.equal(
        'invalid_target',
      );
    }
    const passing = await registerApi({ audience: 'urn:example:passing', apiScopes: scopes });
    const of = await another({ apis: [passing.clientId] });
    const parameters = {
      resource: 'urn:example:passing',
      scope: 'openid orders.read offline_access',
      prompt: 'consent',
    };
    const { refresh_token: refreshToken = '' } = await tokenOf(of.configuration, parameters);
    await demo.service.openIdConnect.deactivate(passing.clientId);
    expect(await refusalOf(of.configuration, parameters)).to.equal('invalid_target');
    const again = openid.refreshTokenGrant(of.configuration, refreshToken, {
      resource: 'urn:example:passing',
    });
    expect(await errorOf(again)).to.equal('invalid_target');
  });

  it('gives no token where no other is accepted: neither UserInfo nor the platform takes it', async () => {
    const { access_token: token } = await tokenOf(client, {
      resource: 'urn:example:archive',
      scope: 'openid orders.read',
    });
    const { access_token: jwt } = await tokenOf(client);
    for (const each of [token, jwt]) {
      const headers = { authorization: `Bearer ${each}` };
      const told = await call(`${demo.service.origin}/oidc/userinfo`, { headers });
      expect(told.status).to.be.oneOf([401, 403]);
      // Any token of the platform opens this one.
      const asked = await call(
        `${demo.service.origin}/api/v1/oauth2/consent?client_id=${issued.clientId}&redirect_uri=${redirectUri}&code_challenge=${'a'.repeat(43)}`,
        { headers },
      );
      expect(asked.status).to.equal(401);
    }
  });

  it('has its audience alone, whoever registers or edits another API, at once too', async () => {
    const refused = { code: 'CONFLICT' };
    const same = { audience, apiScopes: scopes };
    expect(await rejection(registerApi(same))).to.include(refused);
    const { clientId } = await registerApi({ audience: 'urn:example:lonely', apiScopes: scopes });
    const edit = (changes: { readonly audience: string }) =>
      demo.service.openIdConnect.edit(clientId, changes);
    expect(await rejection(edit({ audience }))).to.include(refused);
    await edit({ audience: 'urn:example:lonely' });
    const twins = { audience: 'urn:example:twins', apiScopes: scopes };
    const tried = await Promise.allSettled([1, 2, 3].map(() => registerApi(twins)));
    expect(tried.map(({ status }) => status).sort()).to.deep.equal([
      'fulfilled',
      'rejected',
      'rejected',
    ]);
  });

  it('introspects its own tokens, and those alone, as long as everybody is active (RFC 7662)', async () => {
    const parameters = { resource: 'urn:example:archive', scope: 'openid orders.read' };
    const of = await another({ apis: [asking.clientId], sector: 'shop' });
    const tokens = await tokenOf(of.configuration, parameters);
    const token = tokens.access_token;
    const itself = await discoverAs(demo.service.origin, asking);
    const known = await openid.tokenIntrospection(itself, token);
    const claims = { active: true, client_id: of.clientId, scope: 'orders.read' };
    expect(known).to.deep.include({ ...claims, aud: 'urn:example:archive' });
    expect((known.exp ?? 0) - (known.iat ?? 0)).to.equal(600);
    // One sector, one citizen, in a JWT and here.
    expect(known.sub).to.equal(decodeJwt((await tokenOf(client)).access_token).sub);
    const own = await openid.tokenIntrospection(of.configuration, token);
    expect(own.sub).to.equal(tokens.claims()?.sub);
    const asked = await discoverAs(demo.service.origin, api);
    expect(await openid.tokenIntrospection(asked, token)).to.deep.equal({ active: false });
    expect(
      await openid.tokenIntrospection(itself, (await tokenOf(of.configuration, {})).access_token),
    ).to.deep.equal({ active: false });
    await demo.service.openIdConnect.edit(of.clientId, { apis: [] });
    expect(await openid.tokenIntrospection(itself, token)).to.deep.equal({ active: false });
    await demo.service.openIdConnect.edit(of.clientId, { apis: [asking.clientId] });
    expect(await openid.tokenIntrospection(itself, token)).to.include({ active: true });
    await demo.service.openIdConnect.deactivate(of.clientId);
    expect(await openid.tokenIntrospection(itself, token)).to.deep.equal({ active: false });
    await demo.service.openIdConnect.deactivate(asking.clientId);
    expect(await rejection(openid.tokenIntrospection(itself, token))).to.include({ status: 401 });
  });

  it('is agreed to in its own words, scope by scope, and remembered until it is withdrawn', async () => {
    const of = await another({ apis: [api.clientId], name: 'Дэлгүүр', nameEn: 'Shop' });
    const parameters = { resource: audience, scope: 'openid orders.read orders.write' };
    const browser = createOidcBrowser();
    const begun = await beginLogin(of.configuration, parameters);
    const shown = await consentOf(browser, begun.url);
    expect(shown.text).to.include('Захиалга: Таны захиалгыг унших');
    const english = await browser.open(`${shown.url.replace(/\?.*$/, '')}?lang=en`);
    expect(english.text).to.include('Orders: Order for you');
    const agreed = await browser.submit(
      `${shown.url.replace(/\?.*$/, '')}/consent`,
      { decision: 'allow', scope: ['openid', `${api.clientId}#orders.read`] },
      redirectUri,
    );
    const tokens = await openid.authorizationCodeGrant(of.configuration, new URL(agreed.url), {
      pkceCodeVerifier: begun.verifier,
      expectedState: begun.state,
      expectedNonce: begun.nonce,
    });
    expect(decodeJwt(tokens.access_token)['scope']).to.equal('orders.read');
    const list = await browser.open(`${demo.service.origin}/login/consents?lang=en`);
    expect(list.text).to.include('Orders: Read your orders').and.not.to.include('Order for you');
    const elsewhere = createOidcBrowser();
    const second = await logIn(of.configuration, {
      citizen,
      browser: elsewhere,
      parameters: { ...parameters, scope: 'openid orders.read' },
    });
    expect(decodeJwt(second.tokens.access_token)['scope']).to.equal('orders.read');
    await demo.service.openIdConnect.withdrawConsent(citizen, of.clientId);
    const asked = await consentOf(
      createOidcBrowser(),
      (await beginLogin(of.configuration, parameters)).url,
    );
    expect(asked.text).to.include('/consent"');
  });

  it('gets no token of a citizen who agreed to nothing of it', async () => {
    const of = await another({ apis: [api.clientId] });
    const begun = await beginLogin(of.configuration, reading);
    const browser = createOidcBrowser();
    const shown = await consentOf(browser, begun.url);
    const agreed = await browser.submit(
      `${shown.url.replace(/\?.*$/, '')}/consent`,
      { decision: 'allow', scope: ['openid'] },
      redirectUri,
    );
    const checks = {
      pkceCodeVerifier: begun.verifier,
      expectedState: begun.state,
      expectedNonce: begun.nonce,
    };
    const asking = openid.authorizationCodeGrant(of.configuration, new URL(agreed.url), checks, {
      resource: audience,
    });
    expect(await errorOf(asking)).to.equal('invalid_scope');
    const without = await tokenOf(of.configuration, { resource: audience, scope: 'openid' });
    expect(without.scope).to.equal('openid');
    expect(without.access_token).not.to.include('.');
  });

  it('is protected by the lines of the page, for Express', async () => {
    const server = spawn(
      process.execPath,
      ['--input-type=module', '-e', shownBlock(page, 'express')],
      {
        env: { ISSUER: demo.service.origin, AUDIENCE: audience, PORT: '0' },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    try {
      const orders = `http://127.0.0.1:${await firstLineOf(server)}/orders`;
      const tokens = await tokenOf(client);
      const as = (token: string, method: 'GET' | 'POST' = 'GET') =>
        call(orders, { method, headers: { authorization: `Bearer ${token}` } });
      const served = await as(tokens.access_token);
      expect(served.body).to.deep.equal({ of: decodeJwt(tokens.access_token).sub });
      expect((await as(tokens.access_token, 'POST')).status).to.equal(403);
      expect((await as(tokens.id_token ?? '')).status).to.equal(401);
      expect((await call(orders)).status).to.equal(401);
      const bound = await boundTokenOf(client);
      expect(decodeJwt(bound)).to.have.nested.property('cnf.jkt');
      expect((await as(bound)).status).to.equal(401);
    } finally {
      server.kill();
    }
  });
});

async function firstLineOf({ stdout }: ChildProcessByStdio<null, Readable, null>): Promise<string> {
  for await (const line of createInterface({ input: stdout })) return line;
  throw new Error('It ended without a word.');
}
