import { type OpenIdScopeName, openIdScopeNames } from '../shared/openIdScopes.ts';

const platformScopes: ReadonlySet<OpenIdScopeName> = new Set([
  'documents.read',
  'documents.manage',
  'documents.sign',
  'directory.read',
]);

/** True for scopes of the platform API, which only clients of an organization may have. */
export const isPlatformScope = (scope: OpenIdScopeName): boolean => platformScopes.has(scope);

/** Registers of the represented and of the client's organization; null: none. */
export interface ActingFor {
  readonly register: string | null;
  readonly ofClient: string | null;
}

/**
 * Scopes of these that a citizen can give away, in the order of {@link openIdScopeNames}: those of the platform API only
 * to a client of an organization, and the directory only for that organization, to which operators opened it.
 */
export function platformScopesFor(
  scopes: readonly OpenIdScopeName[],
  acting: ActingFor,
): readonly OpenIdScopeName[] {
  return openIdScopeNames.filter((name) => scopes.includes(name) && isGrantable(name, acting));
}

function isGrantable(scope: OpenIdScopeName, { register, ofClient }: ActingFor): boolean {
  if (!isPlatformScope(scope)) return true;
  return ofClient !== null && (scope !== 'directory.read' || register === ofClient);
}
