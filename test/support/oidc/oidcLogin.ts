import * as openid from 'openid-client';
import { demoOrganization } from '../../../main/cli/demo.ts';
import type { IssuedClientSecret } from '../../../application/openIdConnect/administerClients.ts';
import {
  initialOidcClientSettings,
  type OidcClientSettings,
} from '../../../domain/oidcClient/settings.ts';
import { type OpenIdScopeName, openIdScopeNames } from '../../../domain/shared/openIdScopes.ts';
import type { DemoInstallation } from '../installation/demoInstallation.ts';
import { createOidcBrowser, type OidcBrowser, type Shown } from './oidcBrowser.ts';

/** Redirect address of test clients; nothing listens there. */
export const redirectUri = 'http://127.0.0.1:9/callback';

export const clientSettings: OidcClientSettings = {
  ...initialOidcClientSettings,
  name: 'Жишээ портал',
  nameEn: 'Example portal',
  redirectUris: [redirectUri],
  postLogoutRedirectUris: ['http://127.0.0.1:9/bye'],
  scopes: [...openIdScopeNames],
  sector: 'portal.example.mn',
  organization: demoOrganization.register,
};

/** Registers a client of the installation's relying party. */
export function registerClient(
  { service, relyingPartyId }: Pick<DemoInstallation, 'service' | 'relyingPartyId'>,
  settings: Partial<OidcClientSettings> = {},
): Promise<IssuedClientSecret> {
  const sector = relyingPartyId;
  return service.openIdConnect.register({ ...clientSettings, sector, ...settings, relyingPartyId });
}

/** The certified client library, configured from discovery alone, or with what it says of itself (`metadata`). */
export function discoverAs(
  origin: string,
  { clientId, clientSecret }: IssuedClientSecret,
  metadata?: Partial<openid.ClientMetadata>,
): Promise<openid.Configuration> {
  const how = clientSecret === null ? openid.None() : openid.ClientSecretBasic(clientSecret);
  return openid.discovery(new URL(origin), clientId, metadata, how, {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so that nobody forgets it in production; the tests are without TLS
    execute: [openid.allowInsecureRequests],
  });
}

/** An authorization request, and what the client keeps of it. */
export interface BegunLogin {
  readonly url: URL;
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
}

export async function beginLogin(
  configuration: openid.Configuration,
  parameters: Readonly<Record<string, string>> = {},
): Promise<BegunLogin> {
  const verifier = openid.randomPKCECodeVerifier();
  const state = openid.randomState();
  const nonce = openid.randomNonce();
  const url = openid.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...parameters,
  });
  return { url, verifier, state, nonce };
}

export interface Answers {
  /** Civil id. */
  readonly citizen: string;
  /** Register of whom the citizen chooses to act for; default: nobody else. */
  readonly organization?: string;
  /** Scopes agreed to; default: all requested. */
  readonly agreesTo?: readonly OpenIdScopeName[];
}

/**
 * Goes through the login and the consent in a browser.
 *
 * @param until begins the address the client is called back at
 * @returns that address
 */
export async function goThroughLogin(
  browser: OidcBrowser,
  url: URL,
  answers: Answers,
  until: string = redirectUri,
): Promise<URL> {
  let shown = await browser.open(url.href, until);
  for (let step = 0; shown.status !== 0 && step < 12; step += 1) {
    if (shown.status !== 200)
      throw new Error(`${shown.url} answers ${shown.status}: ${shown.text}`);
    shown = await answer(browser, shown, answers, until);
  }
  return new URL(shown.url);
}

/** Answers what one page of a login asks; the client is called back at an address that begins with `until`. */
export async function answer(
  browser: OidcBrowser,
  { url, text }: Shown,
  { citizen, organization = '', agreesTo }: Answers,
  until: string = redirectUri,
): Promise<Shown> {
  const page = url.replace(/\?.*$/, '');
  if (text.includes('/consent"')) {
    const asked = [...text.matchAll(/name="scope"\s+value="([^"]+)"/g)].map(([, name]) => name);
    const scope = agreesTo ?? asked.map(String);
    return browser.submit(`${page}/consent`, { decision: 'allow', scope }, until);
  }
  if (text.includes('/organization"')) {
    return browser.submit(`${page}/organization`, { organization }, until);
  }
  if (text.includes('/start"')) {
    return browser.submit(`${page}/start`, { id: citizen }, until);
  }
  await browser.open(`${page}/status`);
  return browser.open(page, until);
}

/** Logs a citizen in, all the way to the tokens. */
export async function logIn(
  configuration: openid.Configuration,
  answers: Answers & {
    readonly browser?: OidcBrowser;
    readonly parameters?: Readonly<Record<string, string>>;
  },
) {
  const { browser = createOidcBrowser(), parameters } = answers;
  const begun = await beginLogin(configuration, parameters);
  const callback = await goThroughLogin(browser, begun.url, answers);
  const tokens = await openid.authorizationCodeGrant(configuration, callback, {
    pkceCodeVerifier: begun.verifier,
    expectedState: begun.state,
    expectedNonce: begun.nonce,
  });
  return { tokens, browser, callback, begun };
}
