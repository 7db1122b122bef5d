/** What a caller of the platform API may do; each is a scope of the same name in OpenID Connect. */
export const platformPermissions = [
  'documents.read',
  'documents.manage',
  'documents.sign',
  'directory.read',
] as const;

export type PlatformPermission = (typeof platformPermissions)[number];

/** Who calls the platform API, and for which organization. */
export interface PlatformUser {
  /** As the issuer of the token names them; two issuers may use one id, so it says nothing alone. */
  readonly userId: string;
  /** Whose records they see: the organization they act for. */
  readonly tenantId: string;
  readonly permissions: ReadonlySet<PlatformPermission>;
  /** Of a citizen whom the platform itself has verified; null for everybody else. */
  readonly civilId: string | null;
  /** Of an operator of this platform; null for everybody else. */
  readonly operatorId: string | null;
}

/** Reads access tokens of one kind. */
export interface PlatformTokens {
  /**
   * @param token the Bearer token as sent
   * @returns null: none of this kind, forged, expired or ended
   * @throws Refusal PASSWORD_CHANGE_REQUIRED an operator's, who has to change the password first
   */
  read(token: string): Promise<PlatformUser | null>;
}
