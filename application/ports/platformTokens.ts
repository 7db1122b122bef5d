/** Permissions of the platform API; each is a scope of the same name in OpenID Connect. */
export const platformPermissions = [
  'documents.read',
  'documents.manage',
  'documents.sign',
  'directory.read',
] as const;

export type PlatformPermission = (typeof platformPermissions)[number];

/** Caller of the platform API, and the organization they act for. */
export interface PlatformUser {
  /** User id given by the token's issuer; unique only per issuer. */
  readonly userId: string;
  /** Tenant whose records they see: the organization they act for, or {@link tenantOfCitizen}. */
  readonly tenantId: string;
  readonly permissions: ReadonlySet<PlatformPermission>;
  /** Of a citizen verified by the platform itself; null for others. */
  readonly civilId: string | null;
  /** OpenID Connect client of this platform that holds the token; null: it is another's. */
  readonly clientId: string | null;
  /** Of an operator of this platform; null for others. */
  readonly operatorId: string | null;
  /** True for a citizen who acts for no organization: only documents they made or are named in are theirs. */
  readonly actsForSelf: boolean;
}

const citizenPrefix = 'citizen:';

/** Tenant of a citizen who acts for no organization. */
export const tenantOfCitizen = (civilId: string): string => citizenPrefix + civilId;

/** True for tenants that no token issuer may name. */
export const isTenantOfCitizen = (tenantId: string): boolean => tenantId.startsWith(citizenPrefix);

/** Civil id of the citizen whose tenant it is; null: an organization's. */
export const citizenOfTenant = (tenantId: string): string | null =>
  isTenantOfCitizen(tenantId) ? tenantId.slice(citizenPrefix.length) : null;

/** Verifies access tokens of one kind. */
export interface PlatformTokens {
  /**
   * @param token the Bearer token as sent
   * @returns null: of another kind, forged, expired or ended
   * @throws Refusal PASSWORD_CHANGE_REQUIRED for an operator who must change the password first; PERMISSION_DENIED for
   * a tenant that the token's issuer may not name
   */
  read(token: string): Promise<PlatformUser | null>;
}
