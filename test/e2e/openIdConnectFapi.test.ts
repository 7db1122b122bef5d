import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type CryptoKey, decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import * as openid from 'openid-client';
import { type ScriptedPhones, startScriptedPhones } from '../../apps/phone/scripted.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { rejection } from '../support/assertions/rejection.ts';
import {
  type Answered,
  type Assertion,
  assertionOf,
  configured,
  endpointOf,
  type FapiClient,
  knownVerifier,
  logInSecurely,
  post,
  registerFapiClient,
  requestOf,
  secureRedirectUri,
} from '../support/oidc/fapiClient.ts';
import { createOidcBrowser } from '../support/oidc/oidcBrowser.ts';
import { goThroughLogin } from '../support/oidc/oidcLogin.ts';

const citizen = '110000000001';
const ATTEMPTS = 5;

describe('A client under FAPI 2.0 Security Profile', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let phones: ScriptedPhones;
  let client: FapiClient;

  before(async () => {
    demo = await startDemoInstallation({});
    phones = startScriptedPhones([await demo.enrol(citizen)]);
    client = await registerFapiClient(demo);
  });

  after(async () => {
    await phones.stop();
    await demo.stop();
  });

  async function push(
    changes: Readonly<Record<string, string>> = {},
    { as = client, assertion }: { as?: FapiClient; assertion?: Assertion } = {},
  ): Promise<Answered> {
    const form = { ...(await requestOf(changes)), ...(await assertionOf(as, assertion)) };
    return post(endpointOf(as, 'par'), form);
  }

  /** Authorization request that was pushed. */
  const urlOf = ({ body }: Answered, { clientId } = client) =>
    new URL(
      `${endpointOf(client, 'authorization')}?${new URLSearchParams({ client_id: clientId, request_uri: String(body['request_uri']) }).toString()}`,
    );

  /** A proof of possession (RFC 9449 §4.2). */
  async function proof(
    { privateKey, publicKey }: { readonly privateKey: CryptoKey; readonly publicKey: CryptoKey },
    claims: Readonly<Record<string, unknown>>,
  ): Promise<string> {
    const { kty, crv, x, y } = await exportJWK(publicKey);
    const own = { jti: randomUUID(), iat: Math.floor(Date.now() / 1000), ...claims };
    return new SignJWT(own)
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: { kty, crv, x, y } as never })
      .sign(privateKey);
  }

  /** A citizen's access token, and requests with it to UserInfo by proofs with these claims. */
  async function userInfoOf() {
    const pair = await generateKeyPair('ES256', { extractable: true });
    const DPoP = openid.getDPoPHandle(client.configuration, pair);
    const url = await openid.buildAuthorizationUrlWithPAR(client.configuration, await requestOf(), {
      DPoP,
    });
    const browser = createOidcBrowser();
    const callback = await goThroughLogin(browser, url, { citizen }, secureRedirectUri);
    const { access_token: token } = await openid.authorizationCodeGrant(
      client.configuration,
      callback,
      { pkceCodeVerifier: knownVerifier, expectedState: 'a-state', expectedNonce: 'a-nonce' },
      undefined,
      { DPoP },
    );
    const at = endpointOf(client, 'userinfo');
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(token));
    const ath = Buffer.from(digest).toString('base64url');
    const ask = async (claims: Readonly<Record<string, unknown>>) => {
      const dpop = await proof(pair, { htm: 'GET', htu: at, ath, ...claims });
      return fetch(at, { headers: { authorization: `DPoP ${token}`, dpop } });
    };
    return { ask };
  }

  it('logs in with a pushed request, its key and DPoP with the nonce of the server', async () => {
    const { tokens, callback, DPoP } = await logInSecurely(client, {
      citizen,
      parameters: { scope: 'openid profile offline_access', prompt: 'consent' },
    });
    expect(callback.searchParams.get('iss')).to.equal(demo.service.origin);
    expect(tokens.token_type).to.equal('dpop');
    const known = await openid.tokenIntrospection(client.configuration, tokens.access_token);
    expect(known).to.include({ active: true, token_type: 'DPoP' });
    expect(known).to.have.nested.property('cnf.jkt', await DPoP.calculateThumbprint());
    const subject = tokens.claims()?.sub ?? '';
    const info = await openid.fetchUserInfo(client.configuration, tokens.access_token, subject, {
      DPoP,
    });
    expect(info).to.have.property('family_name');
    const again = await openid.refreshTokenGrant(
      client.configuration,
      tokens.refresh_token ?? '',
      undefined,
      { DPoP },
    );
    expect(again.refresh_token ?? tokens.refresh_token).to.equal(tokens.refresh_token);
    expect(again.access_token).not.to.equal(tokens.access_token);
  });

  it('authenticates with an RSA key by PS256, and never by RS256', async () => {
    const rsa = await registerFapiClient(demo, {}, 'PS256');
    expect(await push({}, { as: rsa, assertion: { alg: 'PS256' } })).to.include({ status: 201 });
    const pkcs1 = await crypto.subtle.importKey(
      'pkcs8',
      await crypto.subtle.exportKey('pkcs8', rsa.key),
      { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
      true,
      ['sign'],
    );
    const refused = await push({}, { as: rsa, assertion: { alg: 'RS256', key: pkcs1 } });
    expect(refused).to.include({ status: 401 });
    expect(refused.body).to.include({ error: 'invalid_client' });
  });

  describe('takes nothing less', () => {
    it('than a pushed request', async () => {
      const asked = { ...(await requestOf()), client_id: client.clientId };
      const url = `${endpointOf(client, 'authorization')}?${new URLSearchParams(asked).toString()}`;
      const shown = await createOidcBrowser().open(url, secureRedirectUri);
      const back = new URL(shown.url).searchParams;
      expect(back.get('error')).to.equal('invalid_request');
      expect(back.get('error_description')).to.match(/Pushed Authorization Request/);
      expect(back.get('code')).to.equal(null);
    });

    for (const [what, changes] of Object.entries({
      'PKCE left out': { code_challenge: '', code_challenge_method: '' },
      'PKCE by plain': { code_challenge: knownVerifier, code_challenge_method: 'plain' },
      'the implicit flow': { response_type: 'token' },
      'the hybrid flow': { response_type: 'code id_token' },
      'a response in the fragment': { response_mode: 'fragment' },
      'no redirect address': { redirect_uri: '' },
      'an address below the registered one': { redirect_uri: `${secureRedirectUri}/more` },
      'the address without TLS': { redirect_uri: 'http://bank.example.mn/callback' },
      'an unsigned request object': { request: 'eyJhbGciOiJub25lIn0.e30.' },
    })) {
      it(`than the request of the profile: ${what}`, async () => {
        const refused = await push(changes);
        expect(refused.status).to.equal(400);
        expect(refused.body).not.to.have.property('request_uri');
      });
    }

    const soon = () => Math.floor(Date.now() / 1000);
    const faulty: Readonly<Record<string, () => Assertion>> = {
      'for the token endpoint': () => ({ claims: { aud: endpointOf(client, 'token') } }),
      'for the issuer in a list': () => ({ claims: { aud: [demo.service.origin] } }),
      'of another client': () => ({ claims: { iss: randomUUID() } }),
      'that is over': () => ({ claims: { exp: soon() - 120 } }),
      'that begins in more than a minute': () => ({ claims: { nbf: soon() + 120 } }),
      'made in more than a minute': () => ({ claims: { iat: soon() + 120, exp: soon() + 180 } }),
      'without an end': () => ({ claims: { exp: undefined } }),
      'without a number': () => ({ claims: { jti: undefined } }),
      'signed with a secret': () => ({ alg: 'HS256', key: Buffer.alloc(32, 1) }),
    };
    for (const [what, assertion] of Object.entries(faulty)) {
      it(`than its own assertion for this issuer: not one ${what}`, async () => {
        const refused = await push({}, { assertion: assertion() });
        expect(refused.status).to.be.oneOf([400, 401]);
        expect(refused.body['error']).to.equal('invalid_client');
      });
    }

    it('than its key: not a secret, another key, or a name alone', async () => {
      const { privateKey } = await generateKeyPair('ES256');
      const foreign = await push({}, { assertion: { key: privateKey } });
      expect(foreign.body['error']).to.equal('invalid_client');
      const { clientId: client_id } = client;
      const url = endpointOf(client, 'par');
      for (const form of [{ client_id }, { client_id, client_secret: 'kept as a hash only' }]) {
        const refused = await post(url, { ...(await requestOf()), ...form });
        expect(refused.body['error']).to.equal('invalid_client');
      }
    });

    it('than tokens bound to a key, of which none is taken as a bearer token', async () => {
      const url = urlOf(await push());
      const browser = createOidcBrowser();
      const callback = await goThroughLogin(browser, url, { citizen }, secureRedirectUri);
      const unbound = await rejection(
        openid.authorizationCodeGrant(client.configuration, callback, {
          pkceCodeVerifier: knownVerifier,
          expectedState: 'a-state',
          expectedNonce: 'a-nonce',
        }),
      );
      expect(unbound).to.include({ error: 'invalid_grant' });
      const { tokens } = await logInSecurely(client, { citizen });
      for (const path of ['/oidc/userinfo', '/documents']) {
        const taken = await fetch(`${demo.service.origin}${path}`, {
          headers: { authorization: `Bearer ${tokens.access_token}` },
        });
        expect(taken.status, path).to.equal(401);
      }
    });

    it('than a proof of now at UserInfo, either', async () => {
      const { ask } = await userInfoOf();
      const late = await ask({ iat: soon() + 120 });
      expect(late.status).to.equal(401);
      expect(late.headers.get('www-authenticate')).to.include('invalid_dpop_proof');
      expect((await ask({ iat: soon() + 30 })).status).to.equal(200);
    });

    it('than a proof of now with a nonce, by the key the request was pushed with', async () => {
      const pair = await generateKeyPair('ES256', { extractable: true });
      const other = await generateKeyPair('ES256', { extractable: true });
      const par = endpointOf(client, 'par');
      const tryPush = async (claims: Readonly<Record<string, unknown>>) => {
        const form = { ...(await requestOf()), ...(await assertionOf(client)) };
        const dpop = await proof(pair, { htm: 'POST', htu: par, ...claims });
        const response = await fetch(par, {
          method: 'POST',
          body: new URLSearchParams(form),
          headers: { dpop },
        });
        const { error } = (await response.json()) as { readonly error?: string };
        return { error, nonce: response.headers.get('dpop-nonce') ?? '' };
      };
      const first = await tryPush({});
      expect(first.error).to.equal('use_dpop_nonce');
      const { nonce } = first;
      expect((await tryPush({ nonce, iat: soon() + 120 })).error).to.equal('invalid_dpop_proof');
      expect((await tryPush({ nonce: 'made up' })).error).to.equal('use_dpop_nonce');
      expect((await tryPush({ nonce, htm: 'GET' })).error).to.equal('invalid_dpop_proof');
      const elsewhere = { nonce, htu: endpointOf(client, 'token') };
      expect((await tryPush(elsewhere)).error).to.equal('invalid_dpop_proof');

      const form = { ...(await requestOf()), ...(await assertionOf(client)) };
      const dpop = await proof(pair, { htm: 'POST', htu: par, nonce });
      const url = urlOf(await post(par, form, { dpop }));
      const browser = createOidcBrowser();
      const callback = await goThroughLogin(browser, url, { citizen }, secureRedirectUri);
      const token = endpointOf(client, 'token');
      const stolen = await post(
        token,
        {
          grant_type: 'authorization_code',
          redirect_uri: secureRedirectUri,
          code: callback.searchParams.get('code') ?? '',
          code_verifier: knownVerifier,
          ...(await assertionOf(client)),
        },
        { dpop: await proof(other, { htm: 'POST', htu: token, nonce }) },
      );
      expect(stolen.body).to.include({ error: 'invalid_grant' });
    });
  });

  describe('what is used once', () => {
    it('an assertion, of several that come at the same time', async () => {
      const form = { ...(await requestOf()), ...(await assertionOf(client)) };
      const url = endpointOf(client, 'par');
      const all = await Promise.all(Array.from({ length: ATTEMPTS }, () => post(url, form)));
      expect(all.filter(({ status }) => status === 201)).to.have.length(1);
      expect((await post(url, form)).body['error']).to.equal('invalid_client');
    });

    it('a proof of possession, of several that come at the same time', async () => {
      const { ask } = await userInfoOf();
      const jti = randomUUID();
      const all = await Promise.all(Array.from({ length: ATTEMPTS }, () => ask({ jti })));
      expect(all.map(({ status }) => status).filter((status) => status === 200)).to.have.length(1);
    });

    it('a pushed request, though two browsers have opened it', async () => {
      const url = urlOf(await push());
      const [one, other] = [createOidcBrowser(), createOidcBrowser()];
      await other.open(url.href, secureRedirectUri);
      const first = await goThroughLogin(one, url, { citizen }, secureRedirectUri);
      expect(first.searchParams.get('code')).to.be.a('string');
      const again = await createOidcBrowser().open(url.href, secureRedirectUri);
      expect(again.status).to.equal(400);
      const second = await rejection(goThroughLogin(other, url, { citizen }, secureRedirectUri));
      expect(String(second)).to.include('answers 400');
    });

    it('a code, of which the second use ends what the first gave', async () => {
      const { tokens, callback, DPoP } = await logInSecurely(client, { citizen });
      const twice = await rejection(
        openid.authorizationCodeGrant(
          client.configuration,
          callback,
          { pkceCodeVerifier: knownVerifier, expectedState: 'a-state', expectedNonce: 'a-nonce' },
          undefined,
          { DPoP },
        ),
      );
      expect(twice).to.include({ error: 'invalid_grant' });
      const known = await openid.tokenIntrospection(client.configuration, tokens.access_token);
      expect(known).to.deep.equal({ active: false });
    });
  });

  describe('mixed-up clients', () => {
    it("get nothing for another's code or pushed request, though they have its verifier", async () => {
      const other = await registerFapiClient(demo);
      const pushed = await push();
      const shown = await createOidcBrowser().open(urlOf(pushed, other).href, secureRedirectUri);
      expect(shown.status).to.equal(400);
      const browser = createOidcBrowser();
      const callback = await goThroughLogin(browser, urlOf(pushed), { citizen }, secureRedirectUri);
      const DPoP = openid.getDPoPHandle(
        other.configuration,
        await openid.randomDPoPKeyPair('ES256'),
      );
      const refused = await rejection(
        openid.authorizationCodeGrant(
          other.configuration,
          callback,
          { pkceCodeVerifier: knownVerifier, expectedState: 'a-state', expectedNonce: 'a-nonce' },
          undefined,
          { DPoP },
        ),
      );
      expect(refused).to.include({ error: 'invalid_grant' });
      const posing = configured(client.configuration, client.clientId, other.key);
      const asked = await rejection(openid.buildAuthorizationUrlWithPAR(posing, await requestOf()));
      expect(asked).to.include({ error: 'invalid_client' });
    });
  });

  it('ends what a client has when its profile changes', async () => {
    const own = await registerFapiClient(demo, { securityProfile: 'standard' });
    const { tokens } = await logInSecurely(own, { citizen });
    const isActive = async () =>
      (await openid.tokenIntrospection(own.configuration, tokens.access_token)).active;
    expect(await isActive()).to.equal(true);
    await demo.service.openIdConnect.edit(own.clientId, { securityProfile: 'fapi2' });
    expect(await isActive()).to.equal(false);
    expect(decodeJwt(tokens.id_token ?? '').aud).to.equal(own.clientId);
  });
});
