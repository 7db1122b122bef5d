import type { ClientMetadata } from 'oidc-provider';
import type { ClientKey } from '../../domain/oidcClient/settings.ts';
import { mayHaveStream } from '../../domain/oidcClient/signals.ts';
import type { ServedClient } from '../../application/openIdConnect/ports/oidcHost.ts';
import { backchannelMetadata } from './backchannel.ts';
import { profileMetadata } from './securityProfile.ts';
import { TOKEN_EXCHANGE } from './tokenExchange.ts';

/** Client properties beyond the library's own. */
export const extraClientProperties = [
  ...(['sector', 'client_name_en', 'secret_hash', 'security_profile'] as const),
  ...(['require_pkce', 'conform_id_token_claims'] as const),
  ...(['further_grant_types', 'ping_uri'] as const),
];

/** Placeholder for the secret the library requires: ours are compared by hash, see `compareSecretsByHash`. */
const NO_PLAIN_SECRET = 'kept as a hash only';

/**
 * Sector identifier URI, which the library requires for redirect addresses on several hosts (OpenID Connect Core §8.1).
 * Operators vouch for them and name the sector; nothing is fetched from here.
 */
const ONE_SECTOR = 'https://sector.invalid/';

/** Grant types of a client; nobody logs in to one that is an API alone. Further ones: see `allowFurtherGrants`. */
function grantTypesOf({
  redirectUris,
  deviceFlow,
  backchannelTokenDeliveryMode: mode,
}: ServedClient['settings']): string[] {
  if (redirectUris.length > 0) return ['authorization_code', 'refresh_token'];
  return deviceFlow || mode !== 'none' ? ['refresh_token'] : [];
}

/** Grant types beside those of logins; the library wants a `jwks_uri` for some, see `allowFurtherGrants`. */
function furtherGrantTypesOf(settings: ServedClient['settings']): string[] {
  const { backchannelTokenDeliveryMode, deviceFlow, exchanges } = settings;
  return [
    // For its stream of security events.
    ...(mayHaveStream(settings) ? ['client_credentials'] : []),
    ...(exchanges.length > 0 ? [TOKEN_EXCHANGE] : []),
    ...(backchannelTokenDeliveryMode === 'none' ? [] : ['urn:openid:params:grant-type:ciba']),
    ...(deviceFlow ? ['urn:ietf:params:oauth:grant-type:device_code'] : []),
  ];
}

/** Client metadata in the library's format (OpenID Connect Registration §2). */
export function clientMetadata({
  clientId,
  settings,
  secretHash,
}: ServedClient): ClientMetadata & AdapterClient {
  const { nameEn, backchannelLogoutUri, keys, logoUri, clientUri } = settings;
  const isRedirected = settings.redirectUris.length > 0;
  return {
    client_id: clientId,
    client_name: settings.name,
    ...(nameEn !== null && { client_name_en: nameEn }),
    ...(secretHash !== null && { client_secret: NO_PLAIN_SECRET, secret_hash: secretHash }),
    token_endpoint_auth_method: settings.authMethod,
    ...(keys.length > 0 && { jwks: { keys: keys.map(servedKey) } }),
    redirect_uris: [...settings.redirectUris],
    post_logout_redirect_uris: [...settings.postLogoutRedirectUris],
    ...(backchannelLogoutUri !== null && {
      backchannel_logout_uri: backchannelLogoutUri,
      backchannel_logout_session_required: true,
    }),
    application_type: settings.applicationType,
    grant_types: grantTypesOf(settings),
    response_types: isRedirected ? ['code'] : [],
    further_grant_types: furtherGrantTypesOf(settings),
    ...(settings.backchannelTokenDeliveryMode !== 'none' && backchannelMetadata(settings)),
    scope: settings.scopes.join(' '),
    subject_type: 'pairwise',
    sector: settings.sector,
    sector_identifier_uri: ONE_SECTOR,
    id_token_signed_response_alg: settings.idTokenSignedResponseAlg,
    authorization_signed_response_alg: settings.idTokenSignedResponseAlg,
    introspection_signed_response_alg: settings.idTokenSignedResponseAlg,
    ...profileMetadata(settings),
    // Without a list the library takes every type of every client.
    authorization_details_types: [...settings.authorizationDetailsTypes],
    require_pkce: settings.requirePkce,
    conform_id_token_claims: settings.conformIdTokenClaims,
    ...(logoUri !== null && { logo_uri: logoUri }),
    ...(clientUri !== null && { client_uri: clientUri }),
  };
}

/** RFC 9864 §2.2: with a key of Ed25519, `EdDSA` and `Ed25519` name one algorithm, and software says either. */
function servedKey({ alg, ...key }: ClientKey): ClientKey {
  return alg === undefined || key['kty'] === 'OKP' ? key : { ...key, alg };
}

type AdapterClient = Partial<
  Record<(typeof extraClientProperties)[number], string | boolean | string[]>
>;
