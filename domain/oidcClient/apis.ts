import { beyondBound } from '../shared/bounds.ts';
import { list, object, text, type ValueOf } from '../shared/eventFields.ts';
import { isLoopback } from '../shared/hosts.ts';
import { openIdScopeNames } from '../shared/openIdScopes.ts';
import type { FieldFault } from '../shared/refusal.ts';
import {
  address,
  faultOfDisplayed,
  recordOf,
  upTo,
  uuid,
  visibleText,
} from '../shared/requestFields.ts';
import { limit, optional, setting, type SettingValues, word } from '../shared/settings.ts';

// A client that has an audience is a resource server (RFC 6749 §1.1): an API that other clients get access tokens for.

/** A scope of an API, with the text of its consent. */
export type ApiScopeText = ValueOf<typeof apiScope>;

/** A scope of an API that lets it act at another one, by a scope of that one (RFC 8693). */
export type Exchange = ValueOf<typeof exchange>;

const exchange = object({ api: text, from: text, to: text });

const apiScope = object({ name: text, description: text, descriptionMn: text });

/** Formats of access tokens: a signed one that the API reads itself (RFC 9068), or one it asks about (RFC 7662). */
export const accessTokenFormats = ['jwt', 'opaque'] as const;

export type AccessTokenFormat = (typeof accessTokenFormats)[number];

/** Longest life of a token that the API asks nobody about, and the usual one of both, s. */
export const jwtSeconds = 300;
const opaqueSeconds = 3600;

const maxApiScopes = 50;
const maxApis = 20;

const SCOPE_NAME = /^[a-z][a-z0-9._:-]{0,63}$/;
const CLIENT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Settings of a client that is an API, and the APIs that a client may ask for. */
export const apiSettings = {
  /** RFC 8707 §2: names the API in requests and tokens; null: it is none. */
  audience: optional(address),
  apiScopes: setting({
    kind: 'entries',
    event: list(apiScope),
    request: upTo(
      maxApiScopes,
      recordOf({
        name: visibleText(64),
        description: visibleText(200),
        descriptionMn: visibleText(200),
      }),
    ),
    answer: list(apiScope),
    initial: [],
  }),
  accessTokenFormat: word(accessTokenFormats, 'jwt'),
  /** Null: {@link jwtSeconds}. */
  accessTokenSeconds: limit(opaqueSeconds),
  /** The client_ids of the APIs it may ask for. */
  apis: setting({
    kind: 'entries',
    event: list(text),
    request: upTo(maxApis, uuid),
    answer: list(text),
    initial: [],
  }),
  /** By which scopes of its own the API may act for citizens at others: `api` is a client_id. */
  exchanges: setting({
    kind: 'entries',
    event: list(exchange),
    request: upTo(
      maxApiScopes,
      recordOf({ api: uuid, from: visibleText(64), to: visibleText(64) }),
    ),
    answer: list(exchange),
    initial: [],
  }),
};

export type ApiSettings = SettingValues<typeof apiSettings>;

/** Faults of what a client says of its API, and of those it may ask for. */
export function faultsOfApi(
  settings: ApiSettings & { readonly authMethod: string },
  allowsLoopback: boolean,
): readonly FieldFault[] {
  const { audience, apiScopes, accessTokenFormat, apis, authMethod } = settings;
  const seconds = settings.accessTokenSeconds ?? jwtSeconds;
  const longest = accessTokenFormat === 'jwt' ? jwtSeconds : opaqueSeconds;
  const faults = apiScopes.flatMap((scope, index) => faultsOfScope(scope, `/apiScopes/${index}`));
  const expect = (isMet: boolean, pointer: string, detail: string) => {
    if (!isMet) faults.push({ pointer, detail });
  };
  expect(
    audience === null || isAudience(audience, allowsLoopback),
    '/audience',
    'An absolute https address or a urn, without blanks and without a fragment.',
  );
  expect(
    (audience === null) === (apiScopes.length === 0),
    '/apiScopes',
    audience === null ? 'Only an API has scopes. Name its audience.' : 'An API has scopes.',
  );
  expect(
    new Set(apiScopes.map(({ name }) => name)).size === apiScopes.length,
    '/apiScopes',
    'Each name once.',
  );
  expect(
    apiScopes.length <= maxApiScopes,
    '/apiScopes',
    beyondBound({ atMost: maxApiScopes }, apiScopes.length, 'scopes'),
  );
  expect(
    audience === null || authMethod !== 'none',
    '/authMethod',
    'An API needs a secret or a key of its own to introspect tokens.',
  );
  expect(
    seconds > 0 && seconds <= longest,
    '/accessTokenSeconds',
    `Must be at most ${jwtSeconds} s for jwt, which is not introspected, and ${opaqueSeconds} s for opaque.`,
  );
  expect(apis.length <= maxApis, '/apis', beyondBound({ atMost: maxApis }, apis.length, 'APIs'));
  expect(
    apis.every((id) => CLIENT_ID.test(id)),
    '/apis',
    'The client_ids of APIs.',
  );
  return [...faults, ...faultsOfExchanges(settings)];
}

function faultsOfExchanges({
  exchanges,
  apiScopes,
  accessTokenFormat,
}: ApiSettings): readonly FieldFault[] {
  const own = apiScopes.map(({ name }) => name);
  const faults = exchanges.flatMap(({ api, from }, index) => [
    ...(CLIENT_ID.test(api) ? [] : [fault(`/exchanges/${index}/api`, 'The client_id of an API.')]),
    ...(own.includes(from) ? [] : [fault(`/exchanges/${index}/from`, 'A scope of this API.')]),
  ]);
  if (exchanges.length === 0 || accessTokenFormat === 'opaque') return faults;
  const why =
    'Only opaque tokens can be exchanged, because they end together with the token they come from.';
  return [...faults, fault('/accessTokenFormat', why)];
}

function fault(pointer: string, detail: string): FieldFault {
  return { pointer, detail };
}

function isAudience(uri: string, allowsLoopback: boolean): boolean {
  if (uri.length > 255 || /[\s#]/.test(uri) || !URL.canParse(uri)) return false;
  const { protocol, hostname } = new URL(uri);
  if (protocol === 'http:') return allowsLoopback && isLoopback(hostname);
  return protocol === 'https:' || protocol === 'urn:';
}

function faultsOfScope(
  { name, description, descriptionMn }: ApiScopeText,
  pointer: string,
): FieldFault[] {
  const texts = Object.entries({ description, descriptionMn }).flatMap(([field, shown]) => {
    const fault = shown === '' ? 'Citizens read it.' : faultOfDisplayed(shown, 'one line');
    return fault === null ? [] : [{ pointer: `${pointer}/${field}`, detail: fault }];
  });
  const isOwn = SCOPE_NAME.test(name) && !(openIdScopeNames as readonly string[]).includes(name);
  if (isOwn) return texts;
  const detail = 'Small letters, digits and . _ : - , and no scope of OpenID Connect.';
  return [{ pointer: `${pointer}/name`, detail }, ...texts];
}
