import {
  type ClaimsParameter,
  type ClaimsParameterMember,
  errors,
  type KoaContextWithOIDC,
  type Provider,
} from 'oidc-provider';
import { openIdScopes } from '../../domain/shared/openIdScopes.ts';
import { textOf, wordsOf } from './parameters.ts';

// Claims asked for by name (OpenID Connect Core §5.5). A claim belongs to a scope, and consent is given to scopes.

/**
 * Scopes that an essential claim asks consent for. `organization` is none: for whom a citizen acts is chosen at the
 * login, where the scope alone is looked at.
 */
const scopesByClaim = ['profile', 'email'] as const;

type Grant = InstanceType<Provider['Grant']>;

interface GrantedScopes {
  readonly openid?: { readonly scope?: string };
  readonly rejected?: GrantedScopes;
}

/** Has a grant give the claims of the scopes in it, whatever was asked for by name. */
export function grantClaimsByScope(provider: Provider): void {
  const prototype = provider.Grant.prototype as Pick<Grant, 'getOIDCClaims'>;
  prototype.getOIDCClaims = function (this: GrantedScopes) {
    const rejected = wordsOf(this.rejected?.openid?.scope);
    return wordsOf(this.openid?.scope)
      .filter((scope) => !rejected.includes(scope))
      .flatMap((scope) => claimsOf(scope));
  };
}

function claimsOf(scope: string): readonly string[] {
  const known: Readonly<Partial<Record<string, { readonly claims: readonly string[] }>>> =
    openIdScopes;
  return known[scope]?.claims ?? [];
}

/**
 * Scopes of the essential claims of a request, which its client may ask for and the citizen has not decided about. A
 * voluntary claim asks nobody: it comes when its scope was granted.
 */
export function scopesToAskFor({ oidc }: KoaContextWithOIDC): readonly string[] {
  const { id_token: idToken = {}, userinfo = {} } = oidc.claims;
  const essential = [...Object.entries(idToken), ...Object.entries(userinfo)].flatMap(
    ([name, asked]) => (asked?.essential === true ? [name] : []),
  );
  if (essential.length === 0) return [];
  const allowed = wordsOf(oidc.client?.scope);
  const decided = wordsOf(oidc.grant?.getOIDCScopeEncountered());
  return scopesByClaim.filter(
    (scope) =>
      allowed.includes(scope) &&
      !decided.includes(scope) &&
      claimsOf(scope).some((claim) => essential.includes(claim)),
  );
}

/** Class of the login that a request asks for. */
export interface AskedClass {
  readonly values: readonly string[];
  /** True when another class is to be refused (§5.5.1.1). */
  readonly isEssential: boolean;
}

/** The class in `acr_values`, or else in `claims`. @param params checked by {@link checkAskedClass} */
export function askedClass(params: Readonly<Record<string, unknown>> | undefined): AskedClass {
  const values = wordsOf(params?.['acr_values']);
  const text = textOf(params?.['claims']);
  if (values.length > 0 || text === null) return { values, isEssential: false };
  const { acr } = (JSON.parse(text) as ClaimsParameter).id_token ?? {};
  return { values: classesIn(acr), isEssential: acr?.essential === true };
}

function classesIn(acr: ClaimsParameterMember | null | undefined): readonly string[] {
  return acr?.values ?? (acr?.value === undefined ? [] : [acr.value]);
}

/** @throws errors.InvalidRequest for classes that are no texts */
export function checkAskedClass(_ctx: unknown, { id_token: idToken }: ClaimsParameter): void {
  const classes: unknown = classesIn(idToken?.['acr']);
  if (Array.isArray(classes) && classes.every((each) => typeof each === 'string')) return;
  throw new errors.InvalidRequest('claims.id_token.acr names no classes');
}
