import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { OidcClientSettings } from '../../../domain/oidcClient/settings.ts';
import { createTestVault } from '../doubles/memoryPki.ts';
import { memoryOidcState } from '../doubles/memoryOidcState.ts';
import { loneEngine } from '../oidc/loneEngine.ts';
import { clientSettings, redirectUri } from '../oidc/oidcLogin.ts';
import { type ClockCases, withinASecond } from './clockCases.ts';

const clientId = randomUUID();

/** Makes cases of what clients make for the OpenID Connect provider, which asks the machine's clock itself. */
export async function openIdClients() {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const { kty = '', crv = '', x = '', y = '' } = await exportJWK(publicKey);
  const jwk = { kty, crv, x, y };
  const settings: OidcClientSettings = {
    ...clientSettings,
    authMethod: 'private_key_jwt',
    keys: [{ ...jwk, alg: 'ES256', use: 'sig' }],
  };
  const { vault, ecdsaDigests } = createTestVault();
  const server = createServer((request, response) => engine.serve('', request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const engine = loneEngine({
    issuer: () => issuer,
    keyVault: vault,
    state: memoryOidcState(),
    host: {
      client: (id) =>
        Promise.resolve(id === clientId ? { clientId, settings, secretHash: null } : null),
      refused: () => undefined,
    },
  });

  const par = `${issuer}/oidc/par`;

  /** Pushes an authorization request. @param times of the assertion, since 1970 */
  async function isPushed(
    times: { readonly nbf?: number; readonly exp: number },
    proof?: string,
  ): Promise<boolean> {
    const claims = { iss: clientId, sub: clientId, aud: issuer, jti: randomUUID(), ...times };
    const assertion = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256' })
      .sign(privateKey);
    const answer = await fetch(par, {
      method: 'POST',
      headers: proof === undefined ? {} : { dpop: proof },
      body: new URLSearchParams({
        client_id: clientId,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
        response_type: 'code',
        redirect_uri: redirectUri,
        scope: 'openid',
        code_challenge: 'a'.repeat(43),
        code_challenge_method: 'S256',
      }),
    });
    const text = await answer.text();
    const isClockRefusal = /invalid_client|invalid_dpop_proof|use_dpop_nonce/.test(text);
    if (answer.status !== 201 && !isClockRefusal) throw new Error(`${answer.status} ${text}`);
    return answer.status === 201;
  }

  const isProven = (seconds: number) =>
    withinASecond(async (now) => {
      const claims = { jti: randomUUID(), htm: 'POST', htu: par, iat: now + seconds };
      const proof = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
        .sign(privateKey);
      return isPushed({ exp: now + 60 }, proof);
    });

  const cases: ClockCases = {
    '`nbf`, `exp` of client assertions': {
      ahead: (seconds) => withinASecond((now) => isPushed({ nbf: now + seconds, exp: now + 600 })),
      // A token is good until the second before its `exp`.
      late: (seconds) => withinASecond((now) => isPushed({ exp: now + 1 - seconds })),
    },
    '`iat` of DPoP proofs': { ahead: isProven, late: (seconds) => isProven(-seconds) },
    '`iat`, `exp` of ID tokens': {
      heldBy: [
        'e2e/openIdConnect',
        'logs a citizen in and delivers the claims, at the UserInfo endpoint too',
      ],
    },
    cookies: {
      heldBy: [
        'e2e/openIdConnect',
        'F18: says how long its cookies are kept, not until when, whatever the clock of the browser',
      ],
    },
  };
  return {
    cases,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await ecdsaDigests.stop();
    },
  };
}
