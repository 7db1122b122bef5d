import { beyondBound } from '../shared/bounds.ts';
import { address, addressesOf, faultOfDisplayed, visibleText } from '../shared/requestFields.ts';
import { isLoopback, readHostAndPort } from '../shared/hosts.ts';
import { readRegister } from '../shared/etsi.ts';
import { list, oneOf, text, textMap, type ValueOf } from '../shared/eventFields.ts';
import { type OpenIdScopeName, openIdScopeNames } from '../shared/openIdScopes.ts';
import {
  choices,
  flag,
  initialOf,
  line,
  optional,
  pickSettings,
  setting,
  type SettingValues,
  word,
} from '../shared/settings.ts';
import { type FieldFault, Refusal } from '../shared/refusal.ts';
import { apiSettings, faultsOfApi } from './apis.ts';
import { isPlatformScope } from './platformScopes.ts';
import { backchannelSettings, faultsOfBackchannel } from './backchannel.ts';
import { authorizationDetailsTypes } from './paymentInitiation.ts';
import { faultsUnderProfile, hasCertificate, securityProfiles } from './securityProfile.ts';

/** Addresses of a kind per client at most. */
const maxClientUris = 50;

/**
 * Authentication methods of clients at the token endpoint (OpenID Connect Core §9); `none`: a public client, PKCE
 * alone.
 */
export const clientAuthMethods = [
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'self_signed_tls_client_auth',
  'none',
] as const;

export type ClientAuthMethod = (typeof clientAuthMethods)[number];

/**
 * Algorithms of ID and logout tokens that a client may choose (RFC 7518 §3.1, RFC 8037 §3.1), the preferred one first.
 * RS256 is mandatory for providers (OpenID Connect Core §15.1); EdDSA is that of Ed25519.
 */
export const idTokenAlgorithms = ['ES256', 'RS256', 'PS256', 'EdDSA'] as const;

/** Kinds of applications (OpenID Connect Registration §2): `native` runs on the citizen's device (RFC 8252). */
const applicationTypes = ['web', 'native'] as const;

export type IdTokenAlgorithm = (typeof idTokenAlgorithms)[number];

/** Of clients that ask for none, and of those registered before there was a choice. */
export const defaultIdTokenAlgorithm: IdTokenAlgorithm = 'ES256';

const clientKey = textMap;

/** A public key of a client (RFC 7517), members as strings. */
export type ClientKey = ValueOf<typeof clientKey>;

/** Settings of a client, decided by operators (OpenID Connect Registration §2 names the fields). */
export const oidcClientSettings = {
  /** Shown to citizens who read Mongolian. */
  name: line(64),
  /** Shown to the others; null: `name`. */
  nameEn: optional(visibleText(64)),
  /** Exact addresses (OAuth 2.1 §4.1.1): https, or http on the machine itself in development. Who needs no browser may have none. */
  redirectUris: setting({
    kind: 'entries',
    event: list(text),
    request: addressesOf({ atMost: maxClientUris }),
    initial: [],
  }),
  postLogoutRedirectUris: setting({
    kind: 'entries',
    event: list(text),
    request: addressesOf({ atMost: maxClientUris }),
    initial: [],
  }),
  /** OpenID Connect Back-Channel Logout §2.2; null: not told. */
  backchannelLogoutUri: optional(address),
  authMethod: word(clientAuthMethods, 'client_secret_basic'),
  /** Of `private_key_jwt`, and of `self_signed_tls_client_auth` with `x5t#S256`; empty otherwise. */
  keys: setting({
    kind: 'entries',
    event: list(clientKey),
    request: list(clientKey),
    initial: [],
  }),
  /** Scopes it may request; `openid` always. */
  scopes: setting({
    kind: 'choices',
    event: list(oneOf(openIdScopeNames)),
    request: list(oneOf(openIdScopeNames)).transform(inOrder),
    initial: ['openid', 'profile', 'email'],
  }),
  /** Clients of one sector know a citizen by the same `sub` (OpenID Connect Core §8.1). */
  sector: line(255),
  logoUri: optional(address),
  clientUri: optional(address),
  /** National registration number of the organization it belongs to; null: none is known. */
  organization: optional(text.transform(register)),
  /** OpenID Connect Registration §2: signs its ID and logout tokens. */
  idTokenSignedResponseAlg: word(idTokenAlgorithms, defaultIdTokenAlgorithm),
  /** Demands nothing less than the profile of it, whatever it asks for. */
  securityProfile: word(securityProfiles, 'standard'),
  applicationType: word(applicationTypes, 'web'),
  /** Types of authorization details it may ask for (RFC 9396 §10). */
  authorizationDetailsTypes: choices(authorizationDetailsTypes),
  /** RFC 9700 §2.1.1: false lets a client that authenticates itself send a `nonce` instead. */
  requirePkce: flag(true),
  /** OpenID Connect Core §5.4: true leaves the claims of scopes to the UserInfo endpoint. */
  conformIdTokenClaims: flag(),
  ...apiSettings,
  ...backchannelSettings,
  /** RFC 8628: logs citizens in on televisions and command lines, which have no browser. */
  deviceFlow: flag(),
};

export type OidcClientSettings = SettingValues<typeof oidcClientSettings>;

/** The settings of a client about which nothing was said; it has no name, address or sector. */
export const initialOidcClientSettings = initialOf(oidcClientSettings);

/** Extracts the settings, in a fixed order. */
export function settingsIn(from: OidcClientSettings): OidcClientSettings {
  return pickSettings(oidcClientSettings, from);
}

type Special = Pick<
  OidcClientSettings,
  | 'securityProfile'
  | 'applicationType'
  | 'authorizationDetailsTypes'
  | 'requirePkce'
  | 'audience'
  | 'apis'
  | 'backchannelTokenDeliveryMode'
  | 'deviceFlow'
  | 'exchanges'
>;

/**
 * Settings of clients that are held to a profile, need no PKCE, or do not only log people in to a web application; none of
 * others. The audit tells them, whose rows of before stay as they are.
 */
export function specialSettings({
  securityProfile,
  applicationType,
  authorizationDetailsTypes: detailsTypes,
  requirePkce,
  audience,
  apis,
  backchannelTokenDeliveryMode: mode,
  deviceFlow,
  exchanges,
}: Special): Partial<Special> {
  return {
    ...(securityProfile !== 'standard' && { securityProfile }),
    ...(applicationType !== 'web' && { applicationType }),
    ...(detailsTypes.length > 0 && { authorizationDetailsTypes: detailsTypes }),
    ...(!requirePkce && { requirePkce }),
    ...(audience !== null && { audience }),
    ...(apis.length > 0 && { apis }),
    ...(mode !== 'none' && { backchannelTokenDeliveryMode: mode }),
    ...(deviceFlow && { deviceFlow }),
    ...(exchanges.length > 0 && { exchanges }),
  };
}

function inOrder(names: readonly OpenIdScopeName[]): readonly OpenIdScopeName[] {
  return openIdScopeNames.filter((name) => names.includes(name));
}

function register(given: string, context: { addIssue(message: string): void }): string {
  const read = readRegister(given);
  if (read === null) context.addIssue('Use a national registration number.');
  return read ?? given;
}

const ADDRESS = /^(https?):\/\/([^/?]+)(?:[/?]|$)/;
const NO_HOST =
  'Its host must be a name or an IP address, an IPv6 one in brackets and without a zone.';

/** Fault of an address; null: valid. */
function faultOf(uri: string, allowsLoopback: boolean): string | null {
  if (isMalformed(uri)) return MALFORMED;
  const [, scheme, authority] = ADDRESS.exec(uri) ?? [];
  if (authority !== undefined) {
    const read = readHostAndPort(authority);
    if (read === null) return NO_HOST;
    if (scheme === 'https' || (allowsLoopback && isLoopback(read.host.name))) return null;
  }
  return allowsLoopback
    ? 'An https address, or http on this machine.'
    : 'An https address; http is for development.';
}

const MALFORMED = 'An absolute address without blanks and without a fragment.';

function isMalformed(uri: string): boolean {
  return uri.length > 2000 || /[\s#]/.test(uri);
}

/** RFC 8252 §7.1: a domain name reversed, and a path without an authority. */
const PRIVATE_USE = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:\/(?!\/)/;

/** RFC 8252 §7.3 and §8.3: addresses alone, since a name may lead elsewhere. */
const NATIVE_LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)/;

/** Fault of a redirect address of a native app (RFC 8252 §7); null: valid. */
function faultOfNative(uri: string): string | null {
  if (isMalformed(uri)) return MALFORMED;
  const isClaimed = faultOf(uri, false) === null && !isLoopback(new URL(uri).hostname);
  if (isClaimed || PRIVATE_USE.test(uri) || (NATIVE_LOOPBACK.test(uri) && URL.canParse(uri))) {
    return null;
  }
  return 'An https address, http://127.0.0.1 or http://[::1] of any port, or a reversed domain name: com.example.app:/path.';
}

/** An address of this device without its port; null: another. */
function withoutPort(uri: string): string | null {
  const [base] = NATIVE_LOOPBACK.exec(uri) ?? [];
  return base === undefined ? null : base.replace(/:\d+$/, '') + uri.slice(base.length);
}

/** True for an exact redirect address, or one of this device on any port for a native app (RFC 8252 §7.3). */
export function isRedirectUri(
  { applicationType, redirectUris }: Pick<OidcClientSettings, 'applicationType' | 'redirectUris'>,
  uri: string,
): boolean {
  if (redirectUris.includes(uri)) return true;
  const asked = applicationType === 'native' ? withoutPort(uri) : null;
  return asked !== null && redirectUris.some((each) => withoutPort(each) === asked);
}

/**
 * Checks that the provider can serve a client with these settings (RFC 9700 §2.1, §4.1; OpenID Connect Registration
 * §2).
 *
 * @param allowsLoopback allows http for loopback addresses
 * @throws Refusal INVALID_REQUEST with every fault
 */
export function expectUsable(settings: OidcClientSettings, allowsLoopback: boolean): void {
  const faults: FieldFault[] = [];
  const expect = (isMet: boolean, pointer: string, detail: string) => {
    if (!isMet) faults.push({ pointer, detail });
  };
  for (const field of ['name', 'nameEn'] as const) {
    const fault = faultOfDisplayed(settings[field] ?? '', 'one line');
    if (fault !== null) faults.push({ pointer: `/${field}`, detail: fault });
  }
  faults.push(...faultsOfAddresses(settings, allowsLoopback));
  expect(
    settings.redirectUris.length > 0 || needsNoBrowser(settings),
    '/redirectUris',
    'At least one.',
  );
  expect(settings.scopes.includes('openid'), '/scopes', 'openid is always among them.');
  expect(
    settings.organization !== null || !settings.scopes.some(isPlatformScope),
    '/scopes',
    'Scopes of documents and the directory need a client with an organization. Name it in organization.',
  );
  expect(
    settings.applicationType === 'web' || settings.authMethod === 'none',
    '/authMethod',
    'A native app cannot keep a secret (RFC 8252 §8.5): none.',
  );
  faults.push(...faultsOfAuthentication(settings));
  for (const [index, key] of settings.keys.entries()) {
    expect(
      isPublicKey(key),
      `/keys/${index}`,
      'A public JSON Web Key: EC of P-256 or P-384, OKP of Ed25519, or RSA of 2048 to 8192 bits, no private members.',
    );
  }
  faults.push(...faultsUnderProfile(settings));
  faults.push(...faultsOfApi(settings, allowsLoopback));
  faults.push(...faultsOfBackchannel(settings, settings.authMethod === 'none'));
  if (faults.length === 0) return;
  throw new Refusal('INVALID_REQUEST', {
    detail: 'The client cannot be served with these settings; see errors.',
    errors: faults,
  });
}

/** True for an API, and for a client that logs people in elsewhere: on another device, or on their phones. */
function needsNoBrowser({
  audience,
  deviceFlow,
  backchannelTokenDeliveryMode: mode,
}: OidcClientSettings): boolean {
  return audience !== null || deviceFlow || mode !== 'none';
}

function faultsOfAddresses(
  settings: OidcClientSettings,
  allowsLoopback: boolean,
): readonly FieldFault[] {
  const isNative = settings.applicationType === 'native';
  const faultOfReturn = isNative ? faultOfNative : faultOf;
  const lists = {
    redirectUris: settings.redirectUris,
    postLogoutRedirectUris: settings.postLogoutRedirectUris,
    ...single('backchannelLogoutUri', settings.backchannelLogoutUri),
    ...single(
      'backchannelClientNotificationEndpoint',
      settings.backchannelClientNotificationEndpoint,
    ),
    ...single('logoUri', settings.logoUri),
    ...single('clientUri', settings.clientUri),
  };
  return Object.entries(lists).flatMap(([field, uris]) => {
    const isList = field.endsWith('s');
    const faults = uris.flatMap((uri, index) => {
      const fault = (isList ? faultOfReturn : faultOf)(uri, allowsLoopback);
      const pointer = isList ? `/${field}/${index}` : `/${field}`;
      return fault === null ? [] : [{ pointer, detail: fault }];
    });
    if (uris.length <= maxClientUris) return faults;
    const detail = beyondBound({ atMost: maxClientUris }, uris.length, 'addresses');
    return [...faults, { pointer: `/${field}`, detail }];
  });
}

/** Faults of what a client proves itself with. */
function faultsOfAuthentication({
  authMethod,
  keys,
  requirePkce,
}: OidcClientSettings): readonly FieldFault[] {
  const faults: FieldFault[] = [];
  if (authMethod === 'none' && !requirePkce) {
    const detail = 'A client that does not authenticate itself always needs PKCE.';
    faults.push({ pointer: '/requirePkce', detail });
  }
  const needsKeys = authMethod === 'private_key_jwt' || hasCertificate(authMethod);
  if (needsKeys !== keys.length > 0) {
    const detail = needsKeys
      ? `${authMethod} needs public keys.`
      : 'Only private_key_jwt and self_signed_tls_client_auth have keys.';
    faults.push({ pointer: '/keys', detail });
  }
  for (const [index, { 'x5t#S256': thumbprint }] of keys.entries()) {
    if (hasCertificate(authMethod) && !isBase64Url(thumbprint, 43)) {
      const detail = 'With x5t#S256, the SHA-256 thumbprint of its certificate (RFC 7517 §4.9).';
      faults.push({ pointer: `/keys/${index}`, detail });
    }
  }
  return faults;
}

function single(field: string, uri: string | null): Readonly<Record<string, readonly string[]>> {
  return uri === null ? {} : { [field]: [uri] };
}

/** RFC 7518 §6: members of private and symmetric keys. */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** Length of a coordinate in base64url characters, by curve (RFC 7518 §6.2.1.2). */
const coordinateLengths: Readonly<Record<string, number>> = { 'P-256': 43, 'P-384': 64 };

type Members = Readonly<Partial<Record<string, string>>>;

/** Required members of each type of key. */
const hasMembers: Readonly<Partial<Record<string, (key: Members) => boolean>>> = {
  EC: ({ crv, x, y }) =>
    [x, y].every((each) => isBase64Url(each, coordinateLengths[crv ?? ''] ?? 0)),
  // RFC 8037 §2: 32 bytes.
  OKP: ({ crv, x }) => crv === 'Ed25519' && isBase64Url(x, 43),
  // RFC 7518 §3.3: 2048 bits or more.
  RSA: ({ n, e }) => isBase64Url(n, 342, 1366) && isBase64Url(e, 1, 1366),
};

function isPublicKey(key: Members): boolean {
  if (secretMembers.some((member) => key[member] !== undefined)) return false;
  return hasMembers[key['kty'] ?? '']?.(key) ?? false;
}

/** @param atLeast characters, and default of those at most */
function isBase64Url(text: string | undefined, atLeast: number, atMost = atLeast): boolean {
  if (text === undefined) return false;
  return BASE64URL.test(text) && text.length >= atLeast && text.length <= atMost;
}

const BASE64URL = /^[A-Za-z0-9_-]+$/;
