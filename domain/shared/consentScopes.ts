import { type Field, text } from './eventFields.ts';
import { type OpenIdScopeName, openIdScopeNames } from './openIdScopes.ts';

/** A scope of the API of the client with this id: `<client_id>#<name>`. */
export type ApiScope = `${string}#${string}`;

/** A scope that a citizen agrees to, of OpenID Connect or of an API that a client asks for. */
export type ConsentScope = OpenIdScopeName | ApiScope;

/** Field of events: ids and names were checked before. */
export const consentScope = text as Field as Field<ConsentScope>;

export function isApiScope(scope: ConsentScope): scope is ApiScope {
  return scope.includes('#');
}

export function isOpenIdScope(scope: ConsentScope): scope is OpenIdScopeName {
  return !isApiScope(scope);
}

/** Scope of an API as consents have it. */
export function apiScopeOf(apiId: string, name: string): ApiScope {
  return `${apiId}#${name}`;
}

/** Scopes of both lists, each once: those of OpenID Connect in their order, then those of APIs. */
export function unitedScopes(
  ...lists: readonly (readonly ConsentScope[])[]
): readonly ConsentScope[] {
  const all = new Set(lists.flat());
  return [...openIdScopeNames.filter((name) => all.has(name)), ...[...all].filter(isApiScope)];
}
