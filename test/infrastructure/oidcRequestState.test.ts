import { createHash, createSecretKey } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { brandOf } from '../../api/pages/brand.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { devicePages } from '../../api/openIdConnect/devicePages.ts';
import { providerPages } from '../../api/openIdConnect/providerPages.ts';
import type { OidcRecord, OidcState } from '../../application/openIdConnect/ports/oidcState.ts';
import { createOidcEngine } from '../../infrastructure/oidc/engine.ts';
import { systemClock } from '../../infrastructure/system.ts';
import { createTestVault } from '../support/doubles/memoryPki.ts';
import { memoryOidcState } from '../support/doubles/memoryOidcState.ts';
import { clientSettings, redirectUri } from '../support/oidc/oidcLogin.ts';

const clientId = 'c1';
const secret = 'a secret';
const verifier = 'a'.repeat(43);
const scope = 'openid offline_access';
const owner = { accountId: '110000000001', clientId };

function never(): never {
  throw new Error('Nobody asks for it.');
}

describe('State of the OpenID Connect provider in one request', () => {
  const { vault, ecdsaDigests } = createTestVault();
  let state: OidcState;
  /** Calls of the state, by name. */
  let calls: string[];
  let failures: unknown[];
  let server: Server;
  let origin: string;

  beforeEach(async () => {
    state = memoryOidcState();
    calls = [];
    failures = [];
    server = createServer((request, response) => engine.serve('', request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const engine = newEngine();
    await givenCode();
  });

  afterEach(() => new Promise((resolve) => server.close(resolve)));
  after(() => ecdsaDigests.stop());

  function newEngine() {
    const aKey = () => createSecretKey(Buffer.alloc(32, 1));
    const day = 86_400;
    const counted = new Proxy({} as OidcState, {
      get:
        (_, name: keyof OidcState) =>
        (...parameters: unknown[]) => {
          calls.push(name);
          return (state[name] as (...all: unknown[]) => unknown)(...parameters);
        },
    });
    return createOidcEngine({
      onLeftOut: never,
      issuer: () => origin,
      keyVault: vault,
      signingLabels: () => Promise.resolve(['oidc-test']),
      state: counted,
      backchannel: { accountOf: never, begin: never, stateOf: never },
      clock: systemClock,
      pages: { ...providerPages(brandOf({})), ...devicePages(brandOf({})) },
      admitUserCode: never,
      clientLimit: { expectLeft: () => undefined, count: () => Promise.resolve() },
      civilIdOf: (accountId) => accountId,
      registerOf: () => null,
      keys: { cookies: aKey(), pairwiseSubjects: aKey(), dpopNonces: aKey() },
      lifetimes: {
        session: day,
        interaction: day,
        accessToken: day,
        idToken: day,
        refreshToken: day,
        grant: day,
      },
      interactionPath: (uid) => `/login/${uid}`,
      reachesPrivateNetworks: false,
      onFailure: (cause) => failures.push(cause),
      onUntold: never,
      tellLogout: never,
      host: {
        client: () =>
          Promise.resolve({ clientId, settings: clientSettings, secretHash: sha256Hex(secret) }),
        account: (person) => Promise.resolve({ person, register: null, claims: {} }),
        email: never,
        consentedScopes: never,
        apisOf: () => Promise.resolve([]),
        exchanged: never,
        registerIn: never,
        contextClasses: [],
        satisfies: never,
        refused: () => undefined,
      },
    });
  }

  async function givenCode(): Promise<void> {
    const now = Math.floor(Date.now() / 1000);
    const record = (kind: string, id: string, payload: OidcRecord['payload']): OidcRecord => ({
      kind,
      id,
      payload: { jti: id, kind, iat: now, exp: now + 60, ...owner, ...payload },
      civilId: owner.accountId,
      clientId,
      grantId: 'a grant',
      uid: null,
      expiresAt: new Date((now + 60) * 1000),
    });
    await state.put(
      record('Grant', 'a grant', { openid: { scope } }),
      record('AuthorizationCode', 'a code', {
        grantId: 'a grant',
        scope,
        redirectUri,
        codeChallenge: createHash('sha256').update(verifier).digest('base64url'),
        codeChallengeMethod: 'S256',
      }),
    );
  }

  async function ask(fields: Readonly<Record<string, string>>) {
    calls = [];
    const response = await fetch(`${origin}/oidc/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
      },
      body: new URLSearchParams(fields),
    });
    return {
      status: response.status,
      body: (await response.json()) as Readonly<Record<string, string>>,
    };
  }

  const exchange = (code_verifier = verifier) => {
    const redirect_uri = redirectUri;
    return ask({ grant_type: 'authorization_code', code: 'a code', redirect_uri, code_verifier });
  };

  it('is read once and written once by an exchange, a refresh and a look', async () => {
    const { status, body } = await exchange();
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(calls).to.deep.equal(['find', 'consume']);
    const refresh_token = body['refresh_token'] ?? '';
    const refreshed = await ask({ grant_type: 'refresh_token', refresh_token });
    expect(refreshed.status).to.equal(200);
    expect(calls).to.deep.equal(['find', 'consume']);
    calls = [];
    const headers = { authorization: `Bearer ${String(refreshed.body['access_token'])}` };
    expect((await fetch(`${origin}/oidc/userinfo`, { headers })).status).to.equal(200);
    expect(calls).to.deep.equal(['find']);
  });

  it('is left as it was by a request that is refused', async () => {
    expect((await exchange('b'.repeat(43))).body['error']).to.equal('invalid_grant');
    expect(calls).to.deep.equal(['find']);
    expect((await exchange()).status).to.equal(200);
  });

  it('is not what the answer says when another request was faster: everything of the grant ends', async () => {
    const { consume } = state;
    // Another process takes the code after this one has read it.
    state.consume = async (...parameters) => {
      await consume('AuthorizationCode', 'a code', new Date());
      return consume(...parameters);
    };
    const { status, body } = await exchange();
    expect(status).to.equal(400);
    expect(body).to.deep.equal({
      error: 'invalid_grant',
      error_description: 'grant request is invalid',
    });
    expect(await state.find('Grant', 'a grant', new Date())).to.equal(null);
    expect(failures).to.deep.equal([]);
  });

  it('that cannot be written is a fault of ours, of which the client learns no more', async () => {
    const lost = new Error('The database is unavailable.');
    state.consume = () => Promise.reject(lost);
    const { status, body } = await exchange();
    expect(status).to.equal(500);
    expect(body).to.deep.equal({
      error: 'server_error',
      error_description: 'oops! something went wrong',
    });
    expect(failures).to.deep.equal([lost]);
  });
});
