import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createLocalJWKSet, createRemoteJWKSet, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import * as openid from 'openid-client';
import { add } from '../../main/cli/oidcClients.ts';
import { type Given, given } from '../support/given/given.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { call } from '../../main/drill/callers.ts';
import { createOidcBrowser } from '../support/oidc/oidcBrowser.ts';
import {
  beginLogin,
  discoverAs,
  goThroughLogin,
  logIn,
  redirectUri,
  registerClient,
} from '../support/oidc/oidcLogin.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { createServiceHere } from '../support/installation/serviceHere.ts';
import { anOrganization } from '../support/given/wishes.ts';

const citizen = '110000000001';
const another = '110000000002';
const bye = 'http://127.0.0.1:9/bye';

/** The OAuth error of a refused grant. */
async function oauthErrorOf(work: Promise<unknown>): Promise<string> {
  const error = await rejection(work);
  return error instanceof openid.ResponseBodyError ? error.error : String(error);
}

/** A JWT access token (RFC 9068) of another issuer. */
async function foreignToken(): Promise<string> {
  const { privateKey } = await generateKeyPair('RS256');
  return new SignJWT({ scope: 'openid', client_id: 'elsewhere' })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'elsewhere' })
    .setIssuer('https://elsewhere.example')
    .setExpirationTime('1h')
    .sign(privateKey);
}

describe('OpenID Connect, with a certified client library', function () {
  this.timeout(60_000);
  let demo: Given<'citizen' | 'another'>;
  let configuration: openid.Configuration;
  /** The client's credentials (RFC 7617). */
  let basic: string;

  before(async () => {
    demo = await given({
      phones: { citizen, another },
      answering: ['citizen', 'another'],
      organization: { ...anOrganization('5512345', 'Тамга ХХК', 'TAMGA LLC'), admin: 'citizen' },
    });
    const issued = await registerClient(demo);
    basic = Buffer.from(`${issued.clientId}:${issued.clientSecret ?? ''}`).toString('base64');
    configuration = await discoverAs(demo.service.origin, issued);
  });

  after(() => demo.stop());

  it('F8: logs in and out by forms of another site', async () => {
    const browser = createOidcBrowser();
    const { url, verifier, state, nonce } = await beginLogin(configuration);
    const fields = Object.fromEntries(url.searchParams);
    const shown = await browser.submit(`${url.origin}${url.pathname}`, fields, redirectUri);
    const callback = await goThroughLogin(browser, new URL(shown.url), { citizen });
    const tokens = await openid.authorizationCodeGrant(configuration, callback, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
    });
    const endpoint = configuration.serverMetadata().end_session_endpoint ?? '';
    const asked = await browser.submit(endpoint, { id_token_hint: tokens.id_token ?? '', state });
    expect(asked.status).to.equal(200);
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(asked.text)?.[1] ?? '';
    const done = await browser.submit(`${endpoint}/confirm`, { xsrf, logout: 'yes' });
    expect(done.url).to.equal(`${endpoint}/success`);
    expect(browser.cookieNames()).not.to.include('tamga_login');
  });

  it('says in discovery what it does (specification, Versioning 6)', () => {
    const metadata = configuration.serverMetadata();
    expect(metadata.issuer).to.equal(demo.service.origin);
    expect(metadata.claims_supported).to.include.members(['email', 'ge_id', 'acr', 'amr']);
    expect(metadata).to.deep.include({
      subject_types_supported: ['pairwise'],
      code_challenge_methods_supported: ['S256'],
      id_token_signing_alg_values_supported: ['ES256', 'RS256', 'PS256', 'EdDSA'],
      backchannel_logout_supported: true,
      backchannel_token_delivery_modes_supported: ['poll', 'ping'],
      backchannel_user_code_parameter_supported: false,
    });
  });

  it('logs a citizen in and delivers the claims, at the UserInfo endpoint too', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { tokens } = await logIn(configuration, { citizen });
    const claims = tokens.claims();
    expect(claims?.iat).to.be.within(before, Math.floor(Date.now() / 1000));
    expect(claims?.exp).to.equal((claims?.iat ?? 0) + 600);
    const expected = {
      name: 'Дорж Бат-Эрдэнэ',
      given_name: 'Бат-Эрдэнэ',
      family_name: 'Дорж',
      birthdate: '1985-03-15',
      gender: 'male',
      ge_id: 200001,
      email: 'bat-erdene@citizen.example',
      email_verified: false,
      acr: 'http://eidas.europa.eu/LoA/high',
      amr: ['pop', 'pin', 'mfa'],
    };
    expect(claims).to.deep.include(expected);
    const sub = claims?.sub ?? '';
    expect(await openid.fetchUserInfo(configuration, tokens.access_token, sub)).to.deep.include({
      ...expected,
      sub,
    });
    expect(claims).not.to.have.any.keys('org_id');
    const unknown = await logIn(configuration, { citizen: another });
    expect(unknown.tokens.claims()).not.to.have.any.keys('email', 'email_verified');
  });

  it('asks who agreed once not again, in another browser either, and once logged in not at all', async () => {
    const { browser } = await logIn(configuration, { citizen });
    const begun = await beginLogin(configuration);
    const shown = await browser.open(begun.url.href, redirectUri);
    expect(shown.status, shown.text).to.equal(0);
    const elsewhere = createOidcBrowser();
    const login = await elsewhere.open((await beginLogin(configuration)).url.href, redirectUri);
    expect(login.text).to.include('/start"');
  });

  it('F18: says how long its cookies are kept, not until when, whatever the clock of the browser', async () => {
    const browser = createOidcBrowser();
    await logIn(configuration, { citizen, browser });
    const { url } = await beginLogin(configuration, { prompt: 'none' });
    const asked = (await beginLogin(configuration, { prompt: 'login' })).url;
    const answers = await Promise.all(
      [url, asked].map((each) =>
        fetch(each, { redirect: 'manual', headers: { cookie: browser.cookiesAt(each) } }),
      ),
    );
    const set = answers.flatMap(({ headers }) => headers.getSetCookie());
    const lives = set.map((cookie) => Number(/; Max-Age=(\d+)/.exec(cookie)?.[1]));
    expect(set.join()).not.to.match(/expires/i);
    expect(Math.max(...lives)).to.be.within(8 * 3600 - 60, 8 * 3600);
    expect(set.filter((cookie) => cookie.startsWith('tamga_')).join()).to.include('tamga_login');
  });

  it('knows a citizen in another sector by another name', async () => {
    const other = await registerClient(demo, { sector: 'elsewhere.example.mn' });
    const same = await registerClient(demo, { authMethod: 'client_secret_post' });
    const subjects: unknown[] = [];
    for (const issued of [other, same]) {
      const client = await discoverAs(demo.service.origin, issued);
      subjects.push((await logIn(client, { citizen })).tokens.claims()?.sub);
    }
    const { tokens } = await logIn(configuration, { citizen });
    expect(subjects[1]).to.equal(tokens.claims()?.sub);
    expect(subjects[0]).not.to.equal(subjects[1]);
  });

  it('says for which organization the citizen acts', async () => {
    const { tokens } = await logIn(configuration, {
      citizen,
      parameters: { scope: 'openid organization', on_behalf_of: 'NTRMN-5512345' },
    });
    expect(tokens.claims()).to.include({
      org_id: 'NTRMN-5512345',
      org_name: 'Тамга ХХК',
      org_right: 'ADMIN',
      org_role: 'Захирал',
    });
    expect(tokens.claims()).not.to.have.property('name');
  });

  it('gives what the citizen agreed to, and no more', async () => {
    const client = await discoverAs(demo.service.origin, await registerClient(demo));
    const { tokens } = await logIn(client, { citizen, agreesTo: ['openid'] });
    expect(tokens.scope).to.equal('openid');
    expect(tokens.claims()).not.to.have.property('name');
  });

  it('replaces refresh tokens, and ends all that came of one that is used twice', async () => {
    const { tokens } = await logIn(configuration, {
      citizen,
      parameters: { scope: 'openid offline_access', prompt: 'consent' },
    });
    const first = tokens.refresh_token ?? '';
    const renewed = await openid.refreshTokenGrant(configuration, first);
    expect(renewed.refresh_token).to.be.a('string').that.is.not.equal(first);
    expect(renewed.claims()).to.deep.include({ amr: ['pop', 'pin', 'mfa'] });
    expect(await oauthErrorOf(openid.refreshTokenGrant(configuration, first))).to.equal(
      'invalid_grant',
    );
    const newest = renewed.refresh_token ?? '';
    expect(await oauthErrorOf(openid.refreshTokenGrant(configuration, newest))).to.equal(
      'invalid_grant',
    );
  });

  it('refuses a code brought twice, a wrong code verifier, the code of another client', async () => {
    const { callback, begun } = await logIn(configuration, { citizen });
    const checks = { expectedState: begun.state, expectedNonce: begun.nonce };
    const again = openid.authorizationCodeGrant(configuration, callback, {
      ...checks,
      pkceCodeVerifier: begun.verifier,
    });
    expect(await oauthErrorOf(again)).to.equal('invalid_grant');

    const browser = createOidcBrowser();
    const fresh = await beginLogin(configuration);
    const fromFresh = await goThroughLogin(browser, fresh.url, { citizen });
    const wrong = openid.authorizationCodeGrant(configuration, fromFresh, {
      expectedState: fresh.state,
      expectedNonce: fresh.nonce,
      pkceCodeVerifier: openid.randomPKCECodeVerifier(),
    });
    expect(await oauthErrorOf(wrong)).to.equal('invalid_grant');

    const stranger = await discoverAs(demo.service.origin, await registerClient(demo));
    const stolen = openid.authorizationCodeGrant(stranger, fromFresh, {
      expectedState: fresh.state,
      expectedNonce: fresh.nonce,
      pkceCodeVerifier: fresh.verifier,
    });
    expect(await oauthErrorOf(stolen)).to.equal('invalid_grant');
  });

  it('sends nobody to an address that is not registered, and wants PKCE of all', async () => {
    const browser = createOidcBrowser();
    const elsewhere = await beginLogin(configuration, { redirect_uri: 'https://evil.example/' });
    const refused = await browser.open(elsewhere.url.href, 'https://evil.example');
    expect(refused).to.deep.include({ status: 400 });
    const { url } = await beginLogin(configuration);
    url.searchParams.delete('code_challenge');
    url.searchParams.delete('code_challenge_method');
    const back = new URL((await browser.open(url.href, redirectUri)).url);
    expect(back.searchParams.get('error')).to.equal('invalid_request');
  });

  it('refuses a wrong client secret, and the old one after a new one was made', async () => {
    const issued = await registerClient(demo);
    const client = await discoverAs(demo.service.origin, issued);
    const { browser, begun } = await (async () => {
      const started = await beginLogin(client);
      const jar = createOidcBrowser();
      return { browser: await goThroughLogin(jar, started.url, { citizen }), begun: started };
    })();
    const fresh = await demo.service.openIdConnect.rotateSecret(issued.clientId);
    const checks = {
      pkceCodeVerifier: begun.verifier,
      expectedState: begun.state,
      expectedNonce: begun.nonce,
    };
    const refused = await rejection(openid.authorizationCodeGrant(client, browser, checks));
    expect(refused).to.include({ status: 401 });
    const renewed = await discoverAs(demo.service.origin, fresh);
    const tokens = await openid.authorizationCodeGrant(renewed, browser, checks);
    expect(tokens.access_token).to.be.a('string');
  });

  it('tells of its own tokens, and revokes them', async () => {
    const { tokens } = await logIn(configuration, { citizen });
    const token = tokens.access_token;
    expect(await openid.tokenIntrospection(configuration, token)).to.include({ active: true });
    const stranger = await discoverAs(demo.service.origin, await registerClient(demo));
    expect(await openid.tokenIntrospection(stranger, token)).to.deep.equal({ active: false });
    // RFC 7662 §2.2: a JWT of another issuer is as unknown as any other text.
    for (const foreign of ['none of ours', tokens.id_token ?? '', await foreignToken()]) {
      expect(await openid.tokenIntrospection(configuration, foreign)).to.deep.equal({
        active: false,
      });
    }
    await openid.tokenRevocation(configuration, token);
    expect(await openid.tokenIntrospection(configuration, token)).to.deep.equal({ active: false });
  });

  it('opens the platform API with its access tokens, each scope what it is named after', async () => {
    const withScope = async (scope: string) => {
      const { tokens } = await logIn(configuration, { citizen: another, parameters: { scope } });
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      return call(`${demo.service.origin}/documents?limit=1`, { headers });
    };
    expect(await withScope('openid documents.read')).to.include({ status: 200 });
    expect(await withScope('openid profile')).to.include({ status: 403 });
  });

  it('F6: logs out, and notifies the clients registered for it, again where one fails', async () => {
    const told: string[] = [];
    let isUp = false;
    const listener: Server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
      request.on('end', () => {
        told.push(new URLSearchParams(body).get('logout_token') ?? '');
        response.writeHead(isUp ? 200 : 500).end();
      });
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const { port } = listener.address() as AddressInfo;
    try {
      const issued = await registerClient(demo, {
        backchannelLogoutUri: `http://127.0.0.1:${port}/backchannel`,
        idTokenSignedResponseAlg: 'RS256',
      });
      const client = await discoverAs(demo.service.origin, issued, {
        id_token_signed_response_alg: 'RS256',
      });
      const { tokens, browser } = await logIn(client, { citizen });
      const end = openid.buildEndSessionUrl(client, {
        id_token_hint: tokens.id_token ?? '',
        post_logout_redirect_uri: bye,
        state: 'kept',
      });
      const asked = await browser.open(end.href);
      const [, xsrf = ''] = /name="xsrf"\s+value="([^"]+)"/.exec(asked.text) ?? [];
      const confirm = `${demo.service.origin}/oidc/logout/confirm`;
      const gone = await browser.submit(confirm, { xsrf, logout: 'yes' }, bye);
      expect(gone.url).to.equal(`${bye}?state=kept`);
      const untold = async () =>
        (await demo.operators.call('GET', '/system')).body['undelivered'] as readonly Readonly<
          Record<string, unknown>
        >[];
      await eventually(async () => expect(await untold()).to.have.length(1));
      const [shown] = await untold();
      expect(shown).to.have.all.keys(
        ...['kind', 'clientId', 'waiting', 'givenUp', 'since', 'attempts', 'reason'],
      );
      const { clientId } = issued;
      expect(shown).to.include({ kind: 'LOGOUT', clientId, waiting: 1, reason: 'HTTP 500' });
      isUp = true;
      await eventually(async () => expect(await untold()).to.deep.equal([]));
      expect(told.length).to.be.above(1);
      const keys = createRemoteJWKSet(new URL(client.serverMetadata().jwks_uri ?? ''));
      const { payload, protectedHeader } = await jwtVerify(told.at(-1) ?? '', keys, {
        issuer: demo.service.origin,
        audience: issued.clientId,
        typ: 'logout+jwt',
      });
      expect(protectedHeader.alg).to.equal('RS256');
      expect(payload).to.include({ sub: tokens.claims()?.sub, sid: tokens.claims()?.['sid'] });
      expect(payload['events']).to.have.property(
        'http://schemas.openid.net/event/backchannel-logout',
      );
      expect(payload).not.to.have.property('nonce');
      const userInfo = openid.fetchUserInfo(
        client,
        tokens.access_token,
        tokens.claims()?.sub ?? '',
      );
      expect(await rejection(userInfo)).to.be.instanceOf(Error);
      const again = await browser.open((await beginLogin(client)).url.href, redirectUri);
      expect(again.text).to.include('/start"');
    } finally {
      listener.close();
    }
  });

  for (const algorithm of ['RS256', 'PS256', 'EdDSA'] as const) {
    it(`signs with ${algorithm} for a client that asked for it, which verifies it`, async () => {
      const issued = await registerClient(demo, { idTokenSignedResponseAlg: algorithm });
      const client = await discoverAs(demo.service.origin, issued, {
        id_token_signed_response_alg: algorithm,
      });
      openid.enableNonRepudiationChecks(client);
      const { tokens } = await logIn(client, { citizen });
      const known = createRemoteJWKSet(new URL(client.serverMetadata().jwks_uri ?? ''));
      const { protectedHeader, payload } = await jwtVerify(tokens.id_token ?? '', known, {
        issuer: demo.service.origin,
        audience: issued.clientId,
      });
      expect(protectedHeader.alg).to.equal(algorithm);
      expect(payload.sub).to.equal(tokens.claims()?.sub);
      await demo.service.openIdConnect.edit(issued.clientId, { idTokenSignedResponseAlg: 'ES256' });
      const refused = await rejection(logIn(client, { citizen }));
      expect(refused).to.have.nested.property('cause.message').that.includes('"alg" header');
    });
  }

  it('refuses an algorithm that it does not sign with, and names those it has', async () => {
    const operator = demo.operators;
    const body = {
      relyingPartyUUID: demo.relyingPartyId,
      name: 'Алгоритм',
      redirectUris: [redirectUri],
    };
    for (const idTokenSignedResponseAlg of ['HS256', 'none', 'ES384', 'rs256']) {
      const refused = await operator.call('POST', '/oidc-clients', {
        ...body,
        idTokenSignedResponseAlg,
      });
      expect(refused.status).to.equal(400);
      expect(JSON.stringify(refused.body)).to.include('/idTokenSignedResponseAlg');
      expect(JSON.stringify(refused.body)).to.match(/ES256.*RS256.*PS256.*EdDSA/);
    }
    const usual = await operator.call('POST', '/oidc-clients', body);
    expect(usual.body).to.include({ idTokenSignedResponseAlg: 'ES256' });
    const edited = await operator.call('PATCH', `/oidc-clients/${String(usual.body['clientId'])}`, {
      idTokenSignedResponseAlg: 'PS256',
    });
    expect(edited.body).to.include({ idTokenSignedResponseAlg: 'PS256' });
    const options = { redirectUri: [redirectUri], authMethod: 'none', scope: [] };
    expect(
      await rejection(add(demo.relyingPartyId, 'Алгоритм', { ...options, idTokenAlg: 'HS256' })),
    ).to.have.property('message', '--id-token-alg must be one of ES256, RS256, PS256, EdDSA.');
  });

  it('takes other keys, having published them before, and knows what the old ones signed', async () => {
    const rsa = await discoverAs(
      demo.service.origin,
      await registerClient(demo, { idTokenSignedResponseAlg: 'RS256' }),
      { id_token_signed_response_alg: 'RS256' },
    );
    const jwksUri = configuration.serverMetadata().jwks_uri ?? '';
    const published = async () =>
      (await call(jwksUri)).body as unknown as {
        readonly keys: readonly { readonly alg: string; readonly kid: string }[];
      };
    const algorithms = ['ES256', 'RS256', 'PS256', 'EdDSA'];
    const logInBoth = async () => [
      (await logIn(configuration, { citizen })).tokens.id_token ?? '',
      (await logIn(rsa, { citizen })).tokens.id_token ?? '',
    ];
    const old = await logInBoth();
    const before = await published();
    expect(before.keys.map(({ alg }) => alg)).to.deep.equal(algorithms);
    await demo.service.openIdConnect.rotateKeys(false);
    const both = await published();
    expect(both.keys.map(({ alg }) => alg)).to.deep.equal([...algorithms, ...algorithms]);
    expect(both.keys.slice(0, 4)).to.deep.equal(before.keys);
    expect(JSON.stringify(both)).not.to.match(/"(d|p|q|dp|dq|qi)"/);
    await demo.service.openIdConnect.rotateKeys(true);
    const renewed = await logInBoth();
    const known = createLocalJWKSet((await published()) as never);
    const headerOf = async (token: string) => (await jwtVerify(token, known)).protectedHeader;
    for (const [index, alg] of ['ES256', 'RS256'].entries()) {
      const first = await headerOf(old[index] ?? '');
      const second = await headerOf(renewed[index] ?? '');
      expect([first.alg, second.alg]).to.deep.equal([alg, alg]);
      expect(first.kid).to.equal(before.keys.find((key) => key.alg === alg)?.kid);
      expect(second.kid).to.be.oneOf(both.keys.slice(4).map(({ kid }) => kid));
    }
  });

  it('asks again after a consent was withdrawn, and ends what came of it', async () => {
    const issued = await registerClient(demo);
    const client = await discoverAs(demo.service.origin, issued);
    const { tokens, browser } = await logIn(client, {
      citizen,
      parameters: { scope: 'openid offline_access', prompt: 'consent' },
    });
    await demo.service.openIdConnect.withdrawConsent(citizen, issued.clientId);
    const refresh = openid.refreshTokenGrant(client, tokens.refresh_token ?? '');
    expect(await oauthErrorOf(refresh)).to.equal('invalid_grant');
    const shown = await browser.open((await beginLogin(client)).url.href, redirectUri);
    expect(shown.text).to.include('/consent"');
  });

  it('goes on in another process with what this one began', async () => {
    const other = createServiceHere({
      SVC_DATABASE_URL: demo.databaseUrl,
      SVC_DATA_DIR: demo.directory,
      SVC_RP_API_BASE: demo.service.origin,
      SVC_ROLES: 'api',
    });
    const { tokens } = await logIn(configuration, { citizen });
    const begun = await beginLogin(configuration);
    const code = (await goThroughLogin(createOidcBrowser(), begun.url, { citizen })).searchParams;
    await other.start();
    try {
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      const told = await call(`${other.origin}/oidc/userinfo`, { headers });
      expect(told.body).to.include({ sub: tokens.claims()?.sub });
      const taken = await fetch(`${other.origin}/oidc/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${basic}` },
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          redirect_uri: redirectUri,
          code: code.get('code') ?? '',
          code_verifier: begun.verifier,
        }),
      });
      expect(taken.status).to.equal(200);
    } finally {
      await other.stop();
    }
  });

  it('ends what a deactivated client has', async () => {
    const issued = await registerClient(demo);
    const client = await discoverAs(demo.service.origin, issued);
    const { tokens } = await logIn(client, { citizen });
    await demo.service.openIdConnect.deactivate(issued.clientId);
    const userInfo = openid.fetchUserInfo(client, tokens.access_token, tokens.claims()?.sub ?? '');
    expect(await rejection(userInfo)).to.be.instanceOf(Error);
    const begun = await beginLogin(client);
    expect(await createOidcBrowser().open(begun.url.href, redirectUri)).to.include({ status: 400 });
  });

  it('is metered and audited', async () => {
    const metrics = await (await fetch(`${demo.service.origin}/metrics`)).text();
    expect(metrics).to.match(/logins_total\{method="OIDC",result="OK"\} [1-9]/);
    expect(metrics).to.include('http_route="/oidc/token"');
    const types = await eventually(async () => {
      const { body } = await call(`${demo.service.origin}/v3/admin/audit?limit=200`);
      const items = body['items'] as readonly { type: string; details: { code?: string } }[];
      const codes = items.map(({ type, details }) => `${type} ${details.code ?? ''}`.trim());
      expect(codes).to.include.members([
        ...['OIDC_LOGIN', 'CONSENT_GIVE', 'OIDC_CLIENT_REGISTER', 'OIDC_CLIENT_DEACTIVATE'],
        ...['OIDC_CREDENTIAL_REFUSE CODE_REPLAYED'],
        ...['OIDC_CREDENTIAL_REFUSE REFRESH_TOKEN_REPLAYED'],
        ...['OIDC_CREDENTIAL_REFUSE CLIENT_AUTHENTICATION_FAILED'],
        ...['OIDC_CREDENTIAL_REFUSE CODE_VERIFIER_WRONG'],
      ]);
      return codes;
    }, 20_000);
    expect(types.length).to.be.greaterThan(10);
  });

  it('ends the logins of a citizen whose certificates are revoked', async () => {
    const { tokens, browser } = await logIn(configuration, {
      citizen,
      parameters: { scope: 'openid offline_access', prompt: 'consent' },
    });
    await demo.service.deactivateDevice(demo.phones.citizen.documentNumber, 1);
    const refresh = openid.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
    expect(await oauthErrorOf(refresh)).to.equal('invalid_grant');
    // A login that begins while those of before are ended may end with them.
    await eventually(async () => {
      const shown = await browser.open((await beginLogin(configuration)).url.href, redirectUri);
      expect(shown.text).to.include('/start"');
    });
    await eventually(async () => {
      const { body } = await call(`${demo.service.origin}/v3/admin/audit?limit=50`);
      const items = body['items'] as readonly { type: string }[];
      expect(items.map(({ type }) => type)).to.include('OIDC_LOGINS_END');
    }, 20_000);
  });
});
