import type { AnswerOf } from '../../shared/api/useRead.ts';
import {
  address,
  type Fields,
  flag,
  limit,
  line,
  list,
  name,
  other,
  type Setting,
  type Values,
  valuesOf,
} from '../../shared/settings/settings.ts';

export type Client = AnswerOf<'/v3/admin/oidc-clients/{clientId}'>;

export type AuthMethod = Client['authMethod'];

export const authMethods: readonly AuthMethod[] = [
  ...(['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const),
  ...(['self_signed_tls_client_auth', 'none'] as const),
];

export type IdTokenAlgorithm = Client['idTokenSignedResponseAlg'];

export type ApplicationType = Client['applicationType'];

export const applicationTypes: readonly ApplicationType[] = ['web', 'native'];

export const idTokenAlgorithms: readonly IdTokenAlgorithm[] = [
  ...(['ES256', 'RS256', 'PS256', 'EdDSA'] as const),
];

export type BackchannelMode = Client['backchannelTokenDeliveryMode'];

export const backchannelModes: readonly BackchannelMode[] = ['none', 'poll', 'ping'];

export type SecurityProfile = Client['securityProfile'];

export const securityProfiles: readonly SecurityProfile[] = [
  ...(['standard', 'fapi2', 'fapi2_message_signing'] as const),
];

export const detailsTypes: readonly Client['authorizationDetailsTypes'][number][] = [
  'payment_initiation',
];

/** True for authentication methods with a secret. */
export function hasSecret(method: AuthMethod): boolean {
  return method.startsWith('client_secret');
}

/** True for authentication methods with public keys. */
export function needsKeys(method: AuthMethod): boolean {
  return method === 'private_key_jwt' || method === 'self_signed_tls_client_auth';
}

/** Methods a client may change to: one with a secret keeps having one. */
export function methodsLike(method: AuthMethod): readonly AuthMethod[] {
  return authMethods.filter((each) => hasSecret(each) === hasSecret(method));
}

export const allScopes: readonly Client['scopes'][number][] = [
  ...(['openid', 'profile', 'email', 'organization', 'offline_access'] as const),
  ...(['documents.read', 'documents.manage', 'documents.sign', 'directory.read'] as const),
];

export type TokenFormat = Client['accessTokenFormat'];

export const tokenFormats: readonly TokenFormat[] = ['jwt', 'opaque'];

/** Entries as JSON, none when it is blank. `valueOf` throws SyntaxError for what is not; see {@link isJsonList}. */
function jsonList<Entry>(): Setting<Entry[], string, 'other'> {
  return {
    ...other<Entry[]>([]),
    fieldOf: (value) => (value.length === 0 ? '' : JSON.stringify(value, null, 2)),
    valueOf: (text) => (text.trim() === '' ? [] : (JSON.parse(text) as Entry[])),
  };
}

/** Settings of a client, each with how it is edited and shown; its words are in texts.ts. */
export const settings = {
  name: name({ isHalf: true }),
  nameEn: line({ isHalf: true }),
  redirectUris: list(/\s+/, { otherwise: 'none' }),
  postLogoutRedirectUris: list(/\s+/, { otherwise: 'none' }),
  backchannelLogoutUri: address(),
  scopes: other<Client['scopes']>(['openid', 'profile', 'email']),
  authMethod: other<AuthMethod>('client_secret_basic'),
  keys: jsonList<Client['keys'][number]>(),
  idTokenSignedResponseAlg: other<IdTokenAlgorithm>('ES256'),
  securityProfile: other<SecurityProfile>('standard'),
  applicationType: other<ApplicationType>('web'),
  backchannelTokenDeliveryMode: other<BackchannelMode>('none', { isHalf: true }),
  backchannelClientNotificationEndpoint: address({ isHalf: true }),
  authorizationDetailsTypes: other<Client['authorizationDetailsTypes']>([]),
  requirePkce: { ...flag({ isHalf: true }), initial: true },
  conformIdTokenClaims: flag({ isHalf: true }),
  clientUri: address({ isHalf: true }),
  logoUri: address({ isHalf: true }),
  organization: line(),
  deviceFlow: flag(),
  apis: list(/\s+/, { otherwise: 'none' }),
  audience: line(),
  apiScopes: jsonList<Client['apiScopes'][number]>(),
  exchanges: jsonList<Client['exchanges'][number]>(),
  accessTokenFormat: other<TokenFormat>('jwt', { isHalf: true }),
  accessTokenSeconds: limit({ isHalf: true }),
};

/** Editable settings of a client, as in the API. */
export type Settings = Values<typeof settings>;

/** Values of a form as the API takes them. @throws SyntaxError when the keys are not JSON */
export function settingsFrom(fields: Fields<typeof settings>): Settings {
  const { authMethod, scopes } = fields;
  const hasKeys = needsKeys(authMethod);
  return valuesOf(settings, {
    ...fields,
    scopes: ['openid', ...scopes.filter((scope) => scope !== 'openid')],
    keys: hasKeys ? fields.keys : '[]',
  });
}

export function isJsonList(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}
