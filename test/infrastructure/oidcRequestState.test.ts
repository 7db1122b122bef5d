import { createHash, createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { sha256Hex } from '../../domain/shared/digest.ts';
import type { OidcRecord, OidcState } from '../../application/openIdConnect/ports/oidcState.ts';
import { createTestVault } from '../support/doubles/memoryPki.ts';
import { memoryOidcState } from '../support/doubles/memoryOidcState.ts';
import { loneEngine, never } from '../support/oidc/loneEngine.ts';
import { clientSettings, redirectUri } from '../support/oidc/oidcLogin.ts';

const clientId = 'c1';
const secret = 'a secret';
const verifier = 'a'.repeat(43);
const scope = 'openid offline_access';
const owner = { accountId: '110000000001', clientId };

describe('State of the OpenID Connect provider in one request', () => {
  const { vault, ecdsaDigests } = createTestVault();
  let state: OidcState;
  /** Calls of the state, by name. */
  let calls: string[];
  let failures: unknown[];
  /** Reasons that the audit is told. */
  let refused: string[];
  let recordLogout: () => Promise<void>;
  let server: Server;
  let origin: string;

  beforeEach(async () => {
    state = memoryOidcState();
    calls = [];
    failures = [];
    refused = [];
    recordLogout = () => Promise.resolve();
    server = createServer((request, response) => engine.serve('', request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const engine = newEngine();
    await givenCode();
  });

  afterEach(() => new Promise((resolve) => server.close(resolve)));
  after(() => ecdsaDigests.stop());

  function newEngine() {
    const counted = new Proxy({} as OidcState, {
      get:
        (_, name: keyof OidcState) =>
        (...parameters: unknown[]) => {
          calls.push(name);
          return (state[name] as (...all: unknown[]) => unknown)(...parameters);
        },
    });
    return loneEngine({
      issuer: () => origin,
      keyVault: vault,
      state: counted,
      admitUserCode: never,
      civilIdOf: (accountId) => accountId,
      registerOf: () => null,
      onFailure: (cause) => failures.push(cause),
      host: {
        client: () =>
          Promise.resolve({ clientId, settings: clientSettings, secretHash: sha256Hex(secret) }),
        account: (person) => Promise.resolve({ person, register: null, claims: {} }),
        refused: ({ reason }) => refused.push(reason),
        loggedOut: () => recordLogout(),
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
    expect(refused, 'for the audit').to.deep.equal(['CODE_REPLAYED']);
  });

  it('tells the audit of a refresh token that another request was faster with', async () => {
    const { body } = await exchange();
    state.consume = () => Promise.resolve(false);
    const refresh_token = body['refresh_token'] ?? '';
    expect((await ask({ grant_type: 'refresh_token', refresh_token })).status).to.equal(400);
    expect(refused).to.deep.equal(['REFRESH_TOKEN_REPLAYED']);
  });

  describe('with a session of the browser', () => {
    const ended = { authorizations: {}, state: { secret: 'a form' } };

    const session = (id: string, payload: OidcRecord['payload']): OidcRecord => {
      const now = Math.floor(Date.now() / 1000);
      const content = { jti: id, uid: 'a uid', kind: 'Session', iat: now, exp: now + 60 };
      return {
        kind: 'Session',
        id,
        payload: { ...content, accountId: owner.accountId, loginTs: now, ...payload },
        civilId: owner.accountId,
        clientId: null,
        grantId: null,
        uid: 'a uid',
        expiresAt: new Date((now + 60) * 1000),
      };
    };

    /** Sends a request of the browser. */
    function browse(path: string, init: RequestInit = {}) {
      const cookie = 'tamga_login=a-session';
      const key = Buffer.alloc(32, 1).toString('base64url');
      const signature = createHmac('sha1', key).update(cookie).digest('base64url');
      const headers = { cookie: `${cookie}; tamga_login.sig=${signature}` };
      return fetch(`${origin}${path}`, { ...init, headers, redirect: 'manual' });
    }

    const found = () => state.findByUid('Session', 'a uid', new Date());

    beforeEach(() => state.put(session('a-session', ended)));

    it('does not bring back one that was logged out meanwhile', async () => {
      expect((await browse('/oidc/logout')).status).to.equal(200);
      expect(await found()).not.to.equal(null);
      const { putShared } = state;
      state.putShared = async (...parameters) => {
        await state.removeOfCitizen(owner.accountId);
        return putShared(...parameters);
      };

      expect((await browse('/oidc/logout')).status).to.equal(200);

      expect(await found()).to.equal(null);
    });

    /** Leaves the client alone: the answer to the question whether to log out everywhere is no. */
    const leaveClient = () =>
      browse('/oidc/logout/confirm', {
        method: 'POST',
        body: new URLSearchParams({ xsrf: 'a form' }),
      });

    const withClients = (...names: readonly string[]) => ({
      authorizations: Object.fromEntries(names.map((name) => [name, { sid: `sid of ${name}` }])),
      state: { secret: 'a form', clientId },
    });

    it('does not bring back one that was logged out while a client was left', async () => {
      await state.put(session('a-session', withClients(clientId)));
      const { putShared } = state;
      state.putShared = async (...parameters) => {
        await state.removeShared('Session', 'a uid');
        return putShared(...parameters);
      };

      expect((await leaveClient()).status).to.equal(303);

      expect(await found()).to.equal(null);
    });

    it('leaves one client, and keeps those that another tab added', async () => {
      await state.put(session('a-session', withClients(clientId)));
      const { putShared } = state;
      state.putShared = async (...parameters) => {
        await state.put(session('of-another-tab', withClients(clientId, 'c2')));
        return putShared(...parameters);
      };

      expect((await leaveClient()).status).to.equal(303);

      expect((await found())?.payload['authorizations']).to.have.all.keys('c2');
      expect(await state.find('Session', 'a-session', new Date())).to.equal(null);
    });

    it('ends it, or leaves a client, with a record of that alone: the browser keeps it and asks again', async () => {
      recordLogout = () => Promise.reject(new Error('The log is unavailable.'));
      for (const answer of [{ xsrf: 'a form', logout: 'yes' }, { xsrf: 'a form' }]) {
        await state.put(session('a-session', withClients(clientId)));
        calls = [];
        const body = new URLSearchParams(answer);

        const { status, headers } = await browse('/oidc/logout/confirm', { method: 'POST', body });

        expect([status, headers.getSetCookie()]).to.deep.equal([500, []]);
        const written = calls.filter((name) => /Shared|^remove$/.test(name));
        expect(written).to.deep.equal([]);
      }
    });

    it('ends it under every identifier that tabs wrote it with', async () => {
      await state.put(session('of-another-tab', ended));
      const body = new URLSearchParams({ xsrf: 'a form', logout: 'yes' });

      expect((await browse('/oidc/logout/confirm', { method: 'POST', body })).status).to.equal(303);

      expect(await found()).to.equal(null);
    });
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
