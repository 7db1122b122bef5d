import {
  clientAuthMethods,
  type ClientAuthMethod,
  type IdTokenAlgorithm,
  idTokenAlgorithms,
  initialOidcClientSettings,
} from '../../domain/oidcClient/settings.ts';
import { type SecurityProfile, securityProfiles } from '../../domain/oidcClient/securityProfile.ts';
import type { BackchannelMode } from '../../domain/oidcClient/backchannel.ts';
import { authorizationDetailsTypes } from '../../domain/oidcClient/paymentInitiation.ts';
import { openIdScopeNames } from '../../domain/shared/openIdScopes.ts';
import { readApiOptions } from './apiOptions.ts';
import { readKeySet } from './clientKeys.ts';
import { withService } from './openService.ts';
import { sayLink } from './handOverLink.ts';
import { say } from './say.ts';

interface AddOptions {
  readonly nameEn?: string;
  readonly redirectUri: readonly string[];
  readonly postLogoutRedirectUri: readonly string[];
  readonly backchannelLogoutUri?: string;
  readonly authMethod: string;
  readonly scope: readonly string[];
  readonly sector?: string;
  readonly clientUri?: string;
  readonly jwks?: string;
  readonly organization?: string;
  readonly idTokenAlg: string;
  readonly securityProfile: string;
  readonly native?: boolean;
  readonly device?: boolean;
  readonly authorizationDetails: readonly string[];
  /** False: a `nonce` will do. */
  readonly pkce: boolean;
  readonly conformIdTokenClaims?: boolean;
  readonly backchannel: BackchannelMode;
  readonly backchannelNotificationUri?: string;
  readonly link?: boolean;
}

/** Registers a client of a relying party and prints its client_id and secret, once. */
export async function add(relyingPartyId: string, name: string, options: object): Promise<void> {
  const wanted = options as AddOptions;
  const { scope, idTokenAlg, securityProfile, native = false } = wanted;
  const authMethod = native ? 'none' : wanted.authMethod;
  if (!isAuthMethod(authMethod)) {
    throw new Error(`--auth-method must be one of ${clientAuthMethods.join(', ')}.`);
  }
  if (!isIdTokenAlgorithm(idTokenAlg)) {
    throw new Error(`--id-token-alg must be one of ${idTokenAlgorithms.join(', ')}.`);
  }
  if (!isSecurityProfile(securityProfile)) {
    throw new Error(`--security-profile must be one of ${securityProfiles.join(', ')}.`);
  }
  const apiSettings = await readApiOptions(options);
  const keys = wanted.jwks === undefined ? [] : await readKeySet(wanted.jwks);
  const scopes = openIdScopeNames.filter((known) => known === 'openid' || scope.includes(known));
  const unknown = scope.filter((word) => !(openIdScopeNames as readonly string[]).includes(word));
  if (unknown.length > 0) {
    throw new Error(`Unknown scope ${unknown.join(', ')}; known: ${openIdScopeNames.join(', ')}`);
  }
  await withService(async ({ openIdConnect }) => {
    const client = {
      ...initialOidcClientSettings,
      ...apiSettings,
      deviceFlow: wanted.device === true,
      relyingPartyId,
      name,
      authMethod,
      keys,
      scopes,
      nameEn: wanted.nameEn ?? null,
      redirectUris: wanted.redirectUri,
      postLogoutRedirectUris: wanted.postLogoutRedirectUri,
      backchannelLogoutUri: wanted.backchannelLogoutUri ?? null,
      sector: wanted.sector ?? relyingPartyId,
      clientUri: wanted.clientUri ?? null,
      organization: wanted.organization ?? null,
      idTokenSignedResponseAlg: idTokenAlg,
      securityProfile,
      applicationType: native ? ('native' as const) : ('web' as const),
      authorizationDetailsTypes: detailsTypesIn(wanted.authorizationDetails),
      requirePkce: wanted.pkce,
      conformIdTokenClaims: wanted.conformIdTokenClaims ?? false,
      backchannelTokenDeliveryMode: wanted.backchannel,
      backchannelClientNotificationEndpoint: wanted.backchannelNotificationUri ?? null,
    };
    if (wanted.link === true) {
      const offer = await openIdConnect.registerByLink(client);
      say(`client_id      ${offer.holderId}`);
      sayLink(offer, { openIdConnect });
      return;
    }
    const { clientId, clientSecret } = await openIdConnect.register(client);
    say(`client_id      ${clientId}`);
    if (clientSecret !== null) say(`client_secret  ${clientSecret}   (shown only now)`);
  });
}

/** Issues a new secret of a client; the old one ends at once. */
export async function rotate(clientId: string): Promise<void> {
  await withService(async ({ openIdConnect }) => {
    const { clientSecret } = await openIdConnect.rotateSecret(clientId);
    say(`client_secret  ${clientSecret ?? ''}   (shown only now)`);
  });
}

export async function deactivate(clientId: string): Promise<void> {
  await withService(async ({ openIdConnect }) => {
    await openIdConnect.deactivate(clientId);
    say('Deactivated.');
  });
}

export async function reactivate(clientId: string): Promise<void> {
  await withService(async ({ openIdConnect }) => {
    await openIdConnect.reactivate(clientId);
    say('Active again.');
  });
}

/** Withdraws a citizen's consent to a client, at the citizen's request; its tokens end. */
export async function withdraw(civilId: string, clientId: string): Promise<void> {
  await withService(async ({ openIdConnect }) => {
    await openIdConnect.withdrawConsent(civilId, clientId);
    say('Withdrawn.');
  });
}

/** Lists clients, one per line. */
export async function list(): Promise<void> {
  await withService(async ({ openIdConnect }) => {
    for (const { clientId, active, settings } of await openIdConnect.list()) {
      const state = active ? 'active' : 'deactivated';
      say(`${clientId}  ${state.padEnd(11)}  ${settings.name}  [${settings.scopes.join(' ')}]`);
    }
  });
}

/** Introduces the provider's next signing key. */
export async function rotateKeys({ now }: { readonly now?: boolean }): Promise<void> {
  await withService(
    async ({ openIdConnect }) => {
      await openIdConnect.rotateKeys(now === true);
      say(now === true ? 'The new signing key is in use.' : 'The next signing key is published.');
    },
    { keys: true },
  );
}

function isAuthMethod(text: string): text is ClientAuthMethod {
  return (clientAuthMethods as readonly string[]).includes(text);
}

function isIdTokenAlgorithm(text: string): text is IdTokenAlgorithm {
  return (idTokenAlgorithms as readonly string[]).includes(text);
}

function isSecurityProfile(text: string): text is SecurityProfile {
  return (securityProfiles as readonly string[]).includes(text);
}

function detailsTypesIn(words: readonly string[]) {
  const known = authorizationDetailsTypes.filter((type) => words.includes(type));
  if (known.length === words.length) return known;
  throw new Error(`--authorization-details must be among ${authorizationDetailsTypes.join(', ')}.`);
}
