import { randomUUID } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import * as openid from 'openid-client';
import type { OidcClientSettings } from '../../../domain/oidcClient/settings.ts';
import type { DemoInstallation } from '../installation/demoInstallation.ts';
import { createOidcBrowser, type OidcBrowser } from './oidcBrowser.ts';
import { discoverAs, goThroughLogin, registerClient } from './oidcLogin.ts';

/** Redirect address of clients under FAPI 2.0; nothing listens there. */
export const secureRedirectUri = 'https://bank.example.mn/callback';

/** A client under FAPI 2.0, with its key. */
export interface FapiClient {
  readonly clientId: string;
  readonly key: CryptoKey;
  readonly configuration: openid.Configuration;
}

/** Registers a client under FAPI 2.0 that authenticates with a key of this algorithm. */
export async function registerFapiClient(
  demo: Pick<DemoInstallation, 'service' | 'relyingPartyId'>,
  settings: Partial<OidcClientSettings> = {},
  algorithm: 'ES256' | 'PS256' = 'ES256',
): Promise<FapiClient> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = await exportJWK(publicKey);
  const members = Object.entries(jwk).filter(([, value]) => typeof value === 'string');
  const { clientId } = await registerClient(demo, {
    authMethod: 'private_key_jwt',
    securityProfile: 'fapi2',
    redirectUris: [secureRedirectUri],
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    keys: [Object.fromEntries(members) as Record<string, string>],
    ...settings,
  });
  const found = await discoverAs(demo.service.origin, { clientId, clientSecret: null });
  return { clientId, key: privateKey, configuration: configured(found, clientId, privateKey) };
}

/** The certified client library as this client, which authenticates with this key. */
export function configured(
  known: openid.Configuration,
  clientId: string,
  key: CryptoKey,
): openid.Configuration {
  const how = openid.PrivateKeyJwt(key);
  const configuration = new openid.Configuration(known.serverMetadata(), clientId, {}, how);
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the tests are without TLS
  openid.allowInsecureRequests(configuration);
  return configuration;
}

/** An endpoint of the provider the client knows. */
export function endpointOf(
  { configuration }: Pick<FapiClient, 'configuration'>,
  name: 'par' | 'token' | 'userinfo' | 'introspection' | 'authorization',
): string {
  const found = configuration.serverMetadata();
  const { par, ...others } = {
    par: found.pushed_authorization_request_endpoint,
    token: found.token_endpoint,
    userinfo: found.userinfo_endpoint,
    introspection: found.introspection_endpoint,
    authorization: found.authorization_endpoint,
  };
  return String({ par, ...others }[name]);
}

/** Faults of an assertion: claims beside the right ones, or another signature. */
export interface Assertion {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly alg?: string;
  readonly key?: CryptoKey | Uint8Array;
}

/** Parameters by which a client authenticates (RFC 7523 §2.2). */
export async function assertionOf(
  { clientId, key: own, configuration }: FapiClient,
  { claims = {}, alg = 'ES256', key = own }: Assertion = {},
): Promise<Record<string, string>> {
  const now = Math.floor(Date.now() / 1000);
  const payload = {
    iss: clientId,
    sub: clientId,
    aud: configuration.serverMetadata().issuer,
    jti: randomUUID(),
    iat: now,
    exp: now + 60,
    ...claims,
  };
  return {
    client_id: clientId,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await new SignJWT(payload).setProtectedHeader({ alg }).sign(key),
  };
}

/** Verifier of the requests of {@link requestOf}, which it is not secret for. */
export const knownVerifier = 'v'.repeat(64);

/** Parameters of an authorization request as the profile wants them. */
export async function requestOf(
  changes: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const asked: Record<string, string> = {
    response_type: 'code',
    redirect_uri: secureRedirectUri,
    scope: 'openid profile',
    code_challenge: await openid.calculatePKCECodeChallenge(knownVerifier),
    code_challenge_method: 'S256',
    state: 'a-state',
    nonce: 'a-nonce',
    ...changes,
  };
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== ''));
}

export interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Posts a form to the provider, and reads the answer. */
export async function post(
  url: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form), headers });
  return { status: response.status, body: (await response.json()) as Answered['body'] };
}

/** Logs a citizen in under FAPI 2.0, all the way to tokens bound to the key of `DPoP`. */
export async function logInSecurely(
  { configuration }: Pick<FapiClient, 'configuration'>,
  {
    citizen,
    parameters = {},
    browser = createOidcBrowser(),
  }: {
    readonly citizen: string;
    readonly parameters?: Readonly<Record<string, string>>;
    readonly browser?: OidcBrowser;
  },
) {
  const DPoP = openid.getDPoPHandle(configuration, await openid.randomDPoPKeyPair('ES256'));
  const url = await openid.buildAuthorizationUrlWithPAR(
    configuration,
    await requestOf(parameters),
    { DPoP },
  );
  const callback = await goThroughLogin(browser, url, { citizen }, secureRedirectUri);
  const checks = {
    pkceCodeVerifier: knownVerifier,
    expectedState: 'a-state',
    expectedNonce: 'a-nonce',
  };
  const tokens = await openid.authorizationCodeGrant(configuration, callback, checks, undefined, {
    DPoP,
  });
  return { tokens, callback, browser, DPoP, url };
}
