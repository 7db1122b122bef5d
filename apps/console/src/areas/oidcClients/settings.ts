import type { AnswerOf } from '../../shared/api/useRead.ts';

export type Client = AnswerOf<'/v3/admin/oidc-clients/{clientId}'>;

/** Editable settings of a client. */
export type Settings = Pick<
  Client,
  | 'name'
  | 'nameEn'
  | 'redirectUris'
  | 'postLogoutRedirectUris'
  | 'backchannelLogoutUri'
  | 'authMethod'
  | 'keys'
  | 'scopes'
  | 'logoUri'
  | 'clientUri'
  | 'organization'
  | 'idTokenSignedResponseAlg'
>;

export type AuthMethod = Client['authMethod'];

export const authMethods: readonly AuthMethod[] = [
  ...(['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const),
];

export type IdTokenAlgorithm = Client['idTokenSignedResponseAlg'];

export const idTokenAlgorithms: readonly IdTokenAlgorithm[] = ['ES256', 'RS256', 'PS256'];

/** True for authentication methods with a secret. */
export function hasSecret(method: AuthMethod): boolean {
  return method.startsWith('client_secret');
}

/** Methods a client may change to: one with a secret keeps having one. */
export function methodsLike(method: AuthMethod): readonly AuthMethod[] {
  return authMethods.filter((each) => hasSecret(each) === hasSecret(method));
}

export const allScopes: readonly Client['scopes'][number][] = [
  ...(['openid', 'profile', 'email', 'organization', 'offline_access'] as const),
  ...(['documents.read', 'documents.manage', 'documents.sign', 'directory.read'] as const),
];

export const newClient: Settings = {
  name: '',
  nameEn: null,
  redirectUris: [],
  postLogoutRedirectUris: [],
  backchannelLogoutUri: null,
  authMethod: 'client_secret_basic',
  keys: [],
  scopes: ['openid', 'profile', 'email'],
  logoUri: null,
  clientUri: null,
  organization: null,
  idTokenSignedResponseAlg: 'ES256',
};

/** Editable settings of a client. */
export function settingsOf(client: Client): Settings {
  const { name, nameEn, redirectUris, postLogoutRedirectUris, backchannelLogoutUri } = client;
  const { authMethod, keys, scopes, logoUri, clientUri, organization } = client;
  const { idTokenSignedResponseAlg } = client;
  return {
    name,
    nameEn,
    redirectUris,
    postLogoutRedirectUris,
    backchannelLogoutUri,
    authMethod,
    keys,
    scopes,
    logoUri,
    clientUri,
    organization,
    idTokenSignedResponseAlg,
  };
}

/** Form values: lists one entry per line, absent values empty. */
export interface Fields extends Record<TextField | 'keys', string> {
  readonly name: string;
  readonly authMethod: Settings['authMethod'];
  readonly scopes: Settings['scopes'];
  readonly idTokenSignedResponseAlg: IdTokenAlgorithm;
}

const optionalTexts = [
  ...(['nameEn', 'backchannelLogoutUri', 'logoUri', 'clientUri', 'organization'] as const),
];
const lists = ['redirectUris', 'postLogoutRedirectUris'] as const;
type TextField = (typeof optionalTexts)[number] | (typeof lists)[number];

export function fieldsOf(settings: Settings): Fields {
  const { name, authMethod, scopes, keys, idTokenSignedResponseAlg } = settings;
  return {
    name,
    authMethod,
    idTokenSignedResponseAlg,
    scopes: [...scopes],
    ...({
      ...Object.fromEntries(optionalTexts.map((field) => [field, settings[field] ?? ''])),
      ...Object.fromEntries(lists.map((field) => [field, settings[field].join('\n')])),
    } as Record<TextField, string>),
    keys: keys.length === 0 ? '' : JSON.stringify(keys, null, 2),
  };
}

/** @throws SyntaxError when the keys are not JSON; see {@link isKeyList} */
export function settingsIn(fields: Fields): Settings {
  const { name, authMethod, scopes, idTokenSignedResponseAlg } = fields;
  const text = (field: (typeof optionalTexts)[number]) => fields[field].trim() || null;
  return {
    name: name.trim(),
    nameEn: text('nameEn'),
    redirectUris: linesOf(fields.redirectUris),
    postLogoutRedirectUris: linesOf(fields.postLogoutRedirectUris),
    backchannelLogoutUri: text('backchannelLogoutUri'),
    authMethod,
    scopes: ['openid', ...scopes.filter((scope) => scope !== 'openid')],
    keys: authMethod === 'private_key_jwt' ? (JSON.parse(fields.keys) as Settings['keys']) : [],
    logoUri: text('logoUri'),
    clientUri: text('clientUri'),
    organization: text('organization'),
    idTokenSignedResponseAlg,
  };
}

export function isKeyList(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}

function linesOf(text: string): string[] {
  return text.split(/\s+/).filter((line) => line !== '');
}
