import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider';
import { bareClient } from '../support/oidcUser.ts';
import { serveChild } from '../support/childServer.ts';
import { listen } from './common.ts';

// The library alone, configured like the service's provider, its state in memory; its citizen agrees to everything.

const ACCOUNT = '900000000000';

/** State in maps: the library's own adapter forgets all but the last thousand records. */
function memoryAdapter(): Adapter {
  const records = new Map<string, AdapterPayload>();
  const found = (id: string) => Promise.resolve(records.get(id));
  const removeWhere = (isGone: (payload: AdapterPayload) => boolean) => {
    for (const [id, payload] of records) if (isGone(payload)) records.delete(id);
    return Promise.resolve();
  };
  return {
    upsert: (id, payload) => {
      records.set(id, payload);
      return Promise.resolve();
    },
    find: found,
    findByUid: (uid) =>
      Promise.resolve([...records.values()].find((payload) => payload.uid === uid)),
    findByUserCode: () => Promise.resolve(undefined),
    consume: (id) => {
      const payload = records.get(id);
      if (payload !== undefined) payload['consumed'] = Math.floor(Date.now() / 1000);
      return Promise.resolve();
    },
    destroy: (id) => {
      records.delete(id);
      return Promise.resolve();
    },
    revokeByGrantId: (grantId) => removeWhere((payload) => payload.grantId === grantId),
  };
}

await serveChild(async () => {
  const server = createServer();
  const port = await listen(server);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const provider = new Provider(`http://127.0.0.1:${port}`, {
    adapter: memoryAdapter,
    clients: [{ ...bareClient, subject_type: 'pairwise', id_token_signed_response_alg: 'ES256' }],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' }] },
    cookies: { keys: ['a key of the bench'] },
    routes: {
      authorization: '/oidc/authorize',
      token: '/oidc/token',
      userinfo: '/oidc/userinfo',
      jwks: '/oidc/jwks',
      introspection: '/oidc/introspect',
    },
    scopes: ['openid', 'profile', 'offline_access'],
    claims: { openid: ['sub'], profile: ['name', 'given_name', 'family_name', 'birthdate'] },
    conformIdTokenClaims: false,
    subjectTypes: ['pairwise'],
    pairwiseIdentifier: (_ctx, accountId) => Promise.resolve(`subject of ${accountId}`),
    pkce: { required: () => true },
    rotateRefreshToken: true,
    features: { devInteractions: { enabled: false }, introspection: { enabled: true } },
    interactions: { url: (_ctx, { uid }) => `/login/${uid}` },
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: () => ({
        sub: accountId,
        name: 'Дорж Бат',
        given_name: 'Бат',
        family_name: 'Дорж',
        birthdate: '1980-01-01',
      }),
    }),
  });
  const callback = provider.callback();
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/login/') !== true) {
      void callback(request, response);
      return;
    }
    void (async () => {
      const { prompt, params } = await provider.interactionDetails(request, response);
      if (prompt.name === 'login') {
        const login = { accountId: ACCOUNT };
        await provider.interactionFinished(request, response, { login });
        return;
      }
      const grant = new provider.Grant({ accountId: ACCOUNT, clientId: bareClient.client_id });
      grant.addOIDCScope(String(params['scope']));
      const consent = { grantId: await grant.save() };
      await provider.interactionFinished(request, response, { consent });
    })();
  });
  return {
    port,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
});
