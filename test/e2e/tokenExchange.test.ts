import { expect } from 'chai';
import { decodeJwt } from 'jose';
import * as openid from 'openid-client';
import type { IssuedClientSecret } from '../../application/openIdConnect/administerClients.ts';
import type { OidcClientSettings } from '../../domain/oidcClient/settings.ts';
import { call } from '../../main/drill/callers.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { type Given, given } from '../support/given/given.ts';
import { createOidcBrowser } from '../support/oidc/oidcBrowser.ts';
import { discoverAs, logIn, redirectUri, registerClient } from '../support/oidc/oidcLogin.ts';

const citizen = '110000000001';
const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessToken = 'urn:ietf:params:oauth:token-type:access_token';
const orders = 'urn:example:orders';
const payments = 'urn:example:payments';

const scope = (name: string) => ({ name, description: name, descriptionMn: 'Эрх' });

describe('Token exchange (RFC 8693)', function () {
  this.timeout(60_000);
  let demo: Given<'citizen'>;
  /** The API that citizens' clients call; it acts at the other one. */
  let acting: IssuedClientSecret;
  let target: IssuedClientSecret;
  let shop: IssuedClientSecret;

  before(async () => {
    demo = await given({ phones: { citizen }, answering: ['citizen'] });
    target = await api({ audience: payments, apiScopes: ['start', 'list'].map(scope) });
    acting = await api({
      redirectUris: [redirectUri],
      audience: orders,
      apiScopes: ['orders.read', 'orders.write'].map(scope),
      accessTokenFormat: 'opaque',
      accessTokenSeconds: 120,
      exchanges: [{ api: target.clientId, from: 'orders.write', to: 'start' }],
    });
    shop = await registerClient(demo, { apis: [acting.clientId] });
  });

  after(() => demo.stop());

  function api(settings: Partial<OidcClientSettings>) {
    const named = { redirectUris: [], postLogoutRedirectUris: [], sector: settings.audience ?? '' };
    return registerClient(demo, { ...named, ...settings });
  }

  /** A token of the citizen for the acting API. */
  async function tokenWith(
    scopes: string,
    client: IssuedClientSecret = shop,
    resource: string = orders,
  ) {
    const configuration = await discoverAs(demo.service.origin, client);
    const parameters = { resource, scope: `openid ${scopes}` };
    return (await logIn(configuration, { citizen, parameters })).tokens;
  }

  /** Exchanges a token. @returns the answer, or its OAuth error */
  async function exchange(
    token: string,
    changes: Readonly<Record<string, string>> = {},
    { clientId, clientSecret }: IssuedClientSecret = acting,
  ): Promise<openid.TokenEndpointResponse & { readonly error?: string }> {
    const response = await fetch(`${demo.service.origin}/oidc/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret ?? ''}`)}` },
      body: new URLSearchParams({
        grant_type: grantType,
        subject_token: token,
        subject_token_type: accessToken,
        resource: payments,
        ...changes,
      }),
    });
    return (await response.json()) as openid.TokenEndpointResponse;
  }

  it('lets an API act for a citizen at another: for less, for no longer, and under its own name', async () => {
    const subject = await tokenWith('orders.read orders.write');
    const answer = await exchange(subject.access_token);
    expect(answer).to.include({ issued_token_type: accessToken, scope: 'start' });
    const claims = decodeJwt(answer.access_token);
    expect(claims).to.deep.include({
      aud: payments,
      scope: 'start',
      client_id: acting.clientId,
      act: { sub: acting.clientId },
    });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).to.be.within(1, 120);
    const direct = await registerClient(demo, { apis: [target.clientId] });
    const itself = await logIn(await discoverAs(demo.service.origin, direct), {
      citizen,
      parameters: { resource: payments, scope: 'openid list' },
    });
    expect(claims.sub).to.equal(decodeJwt(itself.tokens.access_token).sub);
    await eventually(async () => {
      const { body } = await call(`${demo.service.origin}/v3/admin/audit?limit=50`);
      const items = body['items'] as readonly { type: string; details: object }[];
      const recorded = items.find(({ type }) => type === 'OIDC_TOKEN_EXCHANGE');
      expect(recorded?.details).to.deep.equal({ apiId: target.clientId, scopes: ['start'] });
    }, 20_000);
  });

  it('gives no more than the pair of scopes that is registered', async () => {
    const reading = await tokenWith('orders.read');
    expect(await exchange(reading.access_token)).to.include({ error: 'invalid_scope' });
    const { access_token: token } = await tokenWith('orders.write');
    expect(await exchange(token, { scope: 'start list' })).to.include({ error: 'invalid_scope' });
    for (const resource of ['urn:example:unknown', orders]) {
      expect(await exchange(token, { resource })).to.include({ error: 'invalid_target' });
    }
    // Acting there by exchange is no right to ask citizens for it.
    const asked = new URL(`${demo.service.origin}/oidc/authorize`);
    asked.search = new URLSearchParams({
      client_id: acting.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid start',
      resource: payments,
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    }).toString();
    const refused = await createOidcBrowser().open(asked.href, redirectUri);
    expect(new URL(refused.url).searchParams.get('error')).to.equal('invalid_target');
  });

  it('exchanges tokens of this API alone, for itself alone', async () => {
    const { access_token: token, id_token: idToken = '' } = await tokenWith('orders.write');
    for (const subject of ['unknown', idToken]) {
      expect(await exchange(subject)).to.include({ error: 'invalid_request' });
    }
    const plain = await logIn(await discoverAs(demo.service.origin, shop), { citizen });
    expect(await exchange(plain.tokens.access_token)).to.include({ error: 'invalid_request' });
    expect(await exchange(token, { actor_token: token })).to.include({ error: 'invalid_request' });
    const others = { subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' };
    expect(await exchange(token, others)).to.include({ error: 'invalid_request' });
    expect(await exchange(token, {}, shop)).to.include({ error: 'unauthorized_client' });
    expect(await exchange(token, {}, target)).to.include({ error: 'unauthorized_client' });
    const pairs = [{ api: target.clientId, from: 'orders.write', to: 'start' }];
    const other = await api({
      audience: 'urn:example:other',
      apiScopes: [scope('orders.write')],
      accessTokenFormat: 'opaque',
      exchanges: pairs,
    });
    expect(await exchange(token, {}, other)).to.include({ error: 'invalid_request' });
  });

  it('ends with the consent that it rests on, and with the API', async () => {
    const asking = await api({
      audience: 'urn:example:ledger',
      apiScopes: [scope('write')],
      accessTokenFormat: 'opaque',
    });
    const pairs = [{ api: asking.clientId, from: 'orders.write', to: 'write' }];
    const middle = await api({
      audience: 'urn:example:middle',
      apiScopes: [scope('orders.write')],
      accessTokenFormat: 'opaque',
      exchanges: pairs,
    });
    const client = await registerClient(demo, { apis: [middle.clientId] });
    const subject = await tokenWith('orders.write', client, 'urn:example:middle');
    const wish = { resource: 'urn:example:ledger' };
    const { access_token: token } = await exchange(subject.access_token, wish, middle);
    const ledger = await discoverAs(demo.service.origin, asking);
    expect(await openid.tokenIntrospection(ledger, token)).to.deep.include({
      active: true,
      client_id: middle.clientId,
      act: { sub: middle.clientId },
    });
    await demo.service.openIdConnect.withdrawConsent(citizen, client.clientId);
    expect(await openid.tokenIntrospection(ledger, token)).to.deep.equal({ active: false });
    expect(await exchange(subject.access_token, wish, middle)).to.include({
      error: 'invalid_request',
    });
  });

  it('has chains that end: three services act after another, and no fourth', async () => {
    const apis: IssuedClientSecret[] = [];
    for (const name of ['d', 'c', 'b', 'a']) {
      const next = apis.at(-1);
      apis.push(
        await api({
          audience: `urn:example:${name}`,
          apiScopes: [scope(name === 'a' ? 'orders.write' : 'go')],
          accessTokenFormat: 'opaque',
          exchanges:
            next === undefined
              ? [{ api: target.clientId, from: 'go', to: 'start' }]
              : [{ api: next.clientId, from: name === 'a' ? 'orders.write' : 'go', to: 'go' }],
        }),
      );
    }
    const [d, c, b, a] = apis;
    if (a === undefined) throw new Error('There is no API.');
    const client = await registerClient(demo, { apis: [a.clientId] });
    let { access_token: token } = await tokenWith('orders.write', client, 'urn:example:a');
    for (const [from, resource] of [
      [a, 'urn:example:b'],
      [b, 'urn:example:c'],
      [c, 'urn:example:d'],
    ] as const) {
      ({ access_token: token } = await exchange(token, { resource }, from));
      expect(token).to.be.a('string');
    }
    expect(await exchange(token, {}, d)).to.include({ error: 'invalid_request' });
  });
});
