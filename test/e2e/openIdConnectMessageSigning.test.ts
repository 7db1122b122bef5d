import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createRemoteJWKSet, type CryptoKey, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import * as openid from 'openid-client';
import { type ScriptedPhones, startScriptedPhones } from '../../apps/phone/scripted.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import {
  assertionOf,
  endpointOf,
  type FapiClient,
  knownVerifier,
  post,
  registerFapiClient,
  requestOf,
  secureRedirectUri,
} from '../support/oidc/fapiClient.ts';
import { createOidcBrowser } from '../support/oidc/oidcBrowser.ts';
import { goThroughLogin } from '../support/oidc/oidcLogin.ts';

const citizen = '110000000001';

describe('A client under FAPI 2.0 Message Signing', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let phones: ScriptedPhones;
  let client: FapiClient;

  before(async () => {
    demo = await startDemoInstallation({});
    phones = startScriptedPhones([await demo.enrol(citizen)]);
    client = await registerFapiClient(demo, { securityProfile: 'fapi2_message_signing' });
    openid.useJwtResponseMode(client.configuration);
    openid.enableNonRepudiationChecks(client.configuration);
  });

  after(async () => {
    await phones.stop();
    await demo.stop();
  });

  const now = () => Math.floor(Date.now() / 1000);

  /** A signed request object (RFC 9101 §4). */
  async function signed(
    claims: Readonly<Record<string, unknown>> = {},
    { alg = 'ES256', key = client.key }: { alg?: string; key?: CryptoKey | Uint8Array } = {},
  ): Promise<string> {
    const payload = {
      ...(await requestOf({ response_mode: 'jwt' })),
      iss: client.clientId,
      client_id: client.clientId,
      aud: demo.service.origin,
      iat: now(),
      nbf: now(),
      exp: now() + 60,
      jti: randomUUID(),
      ...claims,
    };
    return new SignJWT(payload).setProtectedHeader({ alg, typ: 'oauth-authz-req+jwt' }).sign(key);
  }

  const push = async (form: Readonly<Record<string, string>>) =>
    post(endpointOf(client, 'par'), { ...form, ...(await assertionOf(client)) });

  it('signs its request, and reads signed answers of the authorization and of introspection', async () => {
    const DPoP = openid.getDPoPHandle(
      client.configuration,
      await openid.randomDPoPKeyPair('ES256'),
    );
    const url = await openid.buildAuthorizationUrlWithPAR(
      client.configuration,
      { client_id: client.clientId, request: await signed() },
      { DPoP },
    );
    const browser = createOidcBrowser();
    const callback = await goThroughLogin(browser, url, { citizen }, secureRedirectUri);
    expect([...callback.searchParams.keys()]).to.deep.equal(['response']);
    const keys = createRemoteJWKSet(new URL(`${demo.service.origin}/oidc/jwks`));
    const { payload, protectedHeader } = await jwtVerify(
      callback.searchParams.get('response') ?? '',
      keys,
      { issuer: demo.service.origin, audience: client.clientId },
    );
    expect(protectedHeader.alg).to.equal('ES256');
    expect(payload).to.include({ state: 'a-state' });
    const tokens = await openid.authorizationCodeGrant(
      client.configuration,
      callback,
      { pkceCodeVerifier: knownVerifier, expectedState: 'a-state', expectedNonce: 'a-nonce' },
      undefined,
      { DPoP },
    );
    const answer = await fetch(endpointOf(client, 'introspection'), {
      method: 'POST',
      headers: { accept: 'application/token-introspection+jwt' },
      body: new URLSearchParams({
        token: tokens.access_token,
        ...(await assertionOf(client)),
      }),
    });
    const known = await jwtVerify(await answer.text(), keys, {
      issuer: demo.service.origin,
      typ: 'token-introspection+jwt',
    });
    expect(known.payload['token_introspection']).to.include({ active: true });
  });

  it('tells a refusal by a signed response, too', async () => {
    const pushed = await push({ request: await signed({ prompt: 'none' }) });
    const asked = { client_id: client.clientId, request_uri: String(pushed.body['request_uri']) };
    const url = `${endpointOf(client, 'authorization')}?${new URLSearchParams(asked).toString()}`;
    const shown = await createOidcBrowser().open(url, secureRedirectUri);
    const back = new URL(shown.url).searchParams;
    expect([...back.keys()]).to.deep.equal(['response']);
    const keys = createRemoteJWKSet(new URL(`${demo.service.origin}/oidc/jwks`));
    const { payload } = await jwtVerify(back.get('response') ?? '', keys);
    expect(payload).to.include({ error: 'login_required', iss: demo.service.origin });
  });

  it('takes no unsigned request, and no parameter from beside the signed one', async () => {
    const unsigned = await push(await requestOf({ response_mode: 'jwt' }));
    expect(unsigned).to.include({ status: 400 });
    const mixed = await push({ request: await signed({ scope: 'openid' }), scope: 'openid email' });
    expect(mixed).to.include({ status: 201 });
    const asked = { client_id: client.clientId, request_uri: String(mixed.body['request_uri']) };
    const url = `${endpointOf(client, 'authorization')}?${new URLSearchParams({ ...asked, scope: 'openid email' }).toString()}`;
    const callback = await goThroughLogin(
      createOidcBrowser(),
      new URL(url),
      { citizen },
      secureRedirectUri,
    );
    const tokens = await openid.authorizationCodeGrant(
      client.configuration,
      callback,
      { pkceCodeVerifier: knownVerifier, expectedState: 'a-state', expectedNonce: 'a-nonce' },
      undefined,
      {
        DPoP: openid.getDPoPHandle(client.configuration, await openid.randomDPoPKeyPair('ES256')),
      },
    );
    expect(tokens.scope).to.equal('openid');
  });

  const faulty: Readonly<Record<string, () => Promise<string>>> = {
    'signed with another key': async () =>
      signed({}, { key: (await generateKeyPair('ES256')).privateKey }),
    'signed with a secret': () => signed({}, { alg: 'HS256', key: Buffer.alloc(32, 1) }),
    'for another audience': () => signed({ aud: 'https://elsewhere.example.mn' }),
    'of another client': () => signed({ iss: randomUUID() }),
    'that names another client': () => signed({ client_id: randomUUID() }),
    'without a beginning': () => signed({ nbf: undefined }),
    'without an end': () => signed({ exp: undefined }),
    'good for more than an hour': () => signed({ exp: now() + 3700 }),
    'made in more than a minute': () => signed({ iat: now() + 120 }),
    'that is over': () => signed({ nbf: now() - 300, exp: now() - 120 }),
    'that asks for an unsigned response': () => signed({ response_mode: 'query' }),
  };
  for (const [what, request] of Object.entries(faulty)) {
    it(`takes no request ${what}`, async () => {
      const refused = await push({ request: await request() });
      expect(refused.status).to.equal(400);
      expect(refused.body).not.to.have.property('request_uri');
    });
  }
});
