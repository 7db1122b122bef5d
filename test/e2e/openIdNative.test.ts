import { expect } from 'chai';
import * as openid from 'openid-client';
import type { OidcClientSettings } from '../../domain/oidcClient/settings.ts';
import { type Given, given } from '../support/given/given.ts';
import { createOidcBrowser, type Shown } from '../support/oidc/oidcBrowser.ts';
import { answer, beginLogin, discoverAs, registerClient } from '../support/oidc/oidcLogin.ts';

const citizen = '110000000001';
const loopback = 'http://127.0.0.1/callback';
const scheme = 'mn.example.app:/callback';

describe('An app on the device of a citizen (RFC 8252)', function () {
  this.timeout(60_000);
  let demo: Given<'citizen'>;
  let app: openid.Configuration;

  before(async () => {
    demo = await given({ phones: { citizen }, answering: ['citizen'] });
    app = await clientOf({ applicationType: 'native', authMethod: 'none' });
  });

  after(() => demo.stop());

  async function clientOf(settings: Partial<OidcClientSettings>) {
    const redirectUris = [loopback, ...(settings.applicationType === 'native' ? [scheme] : [])];
    const issued = await registerClient(demo, {
      redirectUris,
      postLogoutRedirectUris: [],
      ...settings,
    });
    return discoverAs(demo.service.origin, issued);
  }

  /** Logs in and comes back at `redirect`. */
  async function logInAt(redirect: string, browser = createOidcBrowser()) {
    const begun = await beginLogin(app, { redirect_uri: redirect });
    let shown: Shown = await browser.open(begun.url.href, redirect);
    let consents = 0;
    for (let step = 0; shown.status !== 0 && step < 12; step += 1) {
      if (shown.text.includes('/consent"')) consents += 1;
      shown = await answer(browser, shown, { citizen }, redirect);
    }
    const tokens = await openid.authorizationCodeGrant(app, new URL(shown.url), {
      pkceCodeVerifier: begun.verifier,
      expectedState: begun.state,
      expectedNonce: begun.nonce,
    });
    return { tokens, consents, browser };
  }

  it('comes back to the port it listens at, and says at which address its code is good', async () => {
    const { tokens } = await logInAt('http://127.0.0.1:49152/callback');
    expect(tokens.claims()).to.include({ given_name: 'Бат-Эрдэнэ' });
    const web = await clientOf({});
    const browser = createOidcBrowser();
    for (const [configuration, redirect] of [
      [web, 'http://127.0.0.1:49152/callback'],
      [app, 'http://127.0.0.1:49152/elsewhere'],
      [app, 'http://localhost:49152/callback'],
      [app, 'http://[::1]:49152/callback'],
    ] as const) {
      const { url } = await beginLogin(configuration, { redirect_uri: redirect });
      expect((await browser.open(url.href, redirect)).status, redirect).to.equal(400);
    }
  });

  it('comes back by its own scheme, and asks anew each time: another app may have that scheme', async () => {
    const { consents, browser } = await logInAt(scheme);
    expect(consents).to.equal(1);
    expect((await logInAt(scheme, browser)).consents).to.equal(1);
    const silent = await beginLogin(app, { redirect_uri: scheme, prompt: 'none' });
    const refused = await browser.open(silent.url.href, scheme);
    expect(new URL(refused.url).searchParams.get('error')).to.equal('interaction_required');
  });

  it('has PKCE instead of a secret', async () => {
    const { url } = await beginLogin(app, { redirect_uri: scheme });
    url.searchParams.delete('code_challenge');
    url.searchParams.delete('code_challenge_method');
    const refused = await createOidcBrowser().open(url.href, scheme);
    expect(new URL(refused.url).searchParams.get('error')).to.equal('invalid_request');
  });

  it('opens no endpoint to pages without an origin, as its scheme has none', async () => {
    const answered = await fetch(`${demo.service.origin}/oidc/token`, {
      method: 'POST',
      headers: { origin: 'null' },
      body: new URLSearchParams({
        client_id: app.clientMetadata().client_id,
        grant_type: 'authorization_code',
        code: 'unknown',
        redirect_uri: scheme,
      }),
    });
    await answered.arrayBuffer();
    expect(answered.status).to.equal(400);
    expect(answered.headers.get('access-control-allow-origin')).to.equal(null);
  });

  it('names its scheme on the pages, and asks with any port what citizens would be asked', async () => {
    const { url } = await beginLogin(app, { redirect_uri: scheme });
    expect((await createOidcBrowser().open(url.href, scheme)).text).to.include('mn.example.app');
    const { browser } = await logInAt(scheme);
    const address = new URL(`${demo.service.origin}/api/v1/oauth2/consent`);
    address.search = new URLSearchParams({
      client_id: app.clientMetadata().client_id,
      redirect_uri: 'http://127.0.0.1:50000/callback',
      code_challenge: 'a'.repeat(43),
    }).toString();
    const asked = await fetch(address, {
      headers: { cookie: browser.cookiesAt(address) },
    });
    expect(asked.status, await asked.text()).to.equal(200);
  });
});
