import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { IssuedClientSecret } from '../../application/openIdConnect/administerClients.ts';
import { type ScriptedPhones, startScriptedPhones } from '../../apps/phone/scripted.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { call } from '../../main/drill/callers.ts';
import { createOidcBrowser, type OidcBrowser } from '../support/oidc/oidcBrowser.ts';
import { discoverAs, logIn, redirectUri, registerClient } from '../support/oidc/oidcLogin.ts';

const citizen = '110000000001';

describe('Other platform endpoints: GET /api/v1/oauth2/consent', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let phones: ScriptedPhones;
  let issued: IssuedClientSecret;
  let browser: OidcBrowser;
  let token: string;

  before(async () => {
    demo = await startDemoInstallation();
    phones = startScriptedPhones([await demo.enrol(citizen)]);
    issued = await registerClient(demo, {
      organization: '9999999',
      clientUri: 'https://portal.example.mn/',
    });
    browser = createOidcBrowser();
    const parameters = { scope: 'openid profile' };
    const client = await discoverAs(demo.service.origin, issued);
    const { tokens } = await logIn(client, { citizen, browser, parameters });
    token = tokens.access_token;
  });

  after(async () => {
    await phones.stop();
    await demo.stop();
  });

  function address(changes: Readonly<Record<string, string>> = {}): string {
    const query = new URLSearchParams({
      client_id: issued.clientId,
      redirect_uri: redirectUri,
      scope: 'openid profile email',
      state: 'x',
      code_challenge: createHash('sha256').update('verifier').digest('base64url'),
      code_challenge_method: 'S256',
      ...changes,
    });
    return `${demo.service.origin}/api/v1/oauth2/consent?${query.toString()}`;
  }

  async function lookUp(from: OidcBrowser, changes: Readonly<Record<string, string>> = {}) {
    const { status, text } = await from.open(address(changes));
    return { status, body: JSON.parse(text) as Record<string, unknown> };
  }

  it('answers the client, the scopes and what was granted, to the logged-in browser', async () => {
    const { status, body } = await lookUp(browser);
    expect(status).to.equal(200);
    expect(body).to.deep.include({
      client_id: issued.clientId,
      client_name: 'Жишээ портал',
      client_uri: 'https://portal.example.mn/',
      redirect_uri: redirectUri,
      already_granted: ['openid', 'profile'],
    });
    expect((body['scopes'] as object[])[2]).to.deep.equal({
      name: 'email',
      description: 'Your e-mail address',
      description_mn: 'Таны и-мэйл хаяг',
      sensitive: false,
    });
  });

  it('answers `already_granted` as a list when nothing was granted', async () => {
    const other = await registerClient(demo);
    const { status, body } = await lookUp(browser, { client_id: other.clientId });
    expect(status).to.equal(200);
    expect(body['already_granted']).to.deep.equal([]);
  });

  for (const [what, changes, status, error] of [
    ['an unknown client', { client_id: 'nobody' }, 404, 'invalid_client'],
    ['an address of another', { redirect_uri: 'https://evil.example/' }, 400, 'invalid_request'],
    ['an unknown scope', { scope: 'openid everything' }, 400, 'invalid_scope'],
    ['a challenge of another kind', { code_challenge_method: 'plain' }, 400, 'invalid_request'],
    ['no challenge', { code_challenge: '' }, 400, 'invalid_request'],
  ] as const) {
    it(`refuses ${what} with error and error_description`, async () => {
      const answer = await lookUp(browser, changes);
      expect(answer.status).to.equal(status);
      expect(Object.keys(answer.body)).to.deep.equal(['error', 'error_description']);
      expect(answer.body['error']).to.equal(error);
    });
  }

  it('answers the bearer of a platform access token, for its citizen', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const asked = await call(address(), { headers });
    expect(asked.status).to.equal(200);
    expect(asked.body['already_granted']).to.deep.equal(['openid', 'profile']);
    const other = await registerClient(demo);
    const elsewhere = await call(address({ client_id: other.clientId }), { headers });
    expect(elsewhere.body['already_granted']).to.deep.equal([]);
  });

  it('refuses anonymous callers, and malformed tokens', async () => {
    const { status, body } = await lookUp(createOidcBrowser());
    expect(status).to.equal(401);
    expect(body['error']).to.equal('unauthorized');
    const forged = await fetch(address(), { headers: { authorization: 'Bearer forged' } });
    expect(forged.status).to.equal(401);
  });
});
