/** Claims of an access token (contract §12: UserID, IsAdmin, RoleID, Email, Kind, jti, exp, iss, iat). */
export interface AccessClaims {
  readonly userId: string;
  readonly isAdmin: boolean;
  readonly roleId: string | null;
  readonly email: string | null;
  /** The organization the user acts for (claim `TenantID`); null when missing. */
  readonly tenantId: string | null;
  /** The operator session behind a token issued here; null for tokens of other issuers. */
  readonly operatorSession: { readonly sessionId: string; readonly epoch: number } | null;
  /** Claim `iss`. */
  readonly issuer: string;
  /** True for tokens issued here, to operators. */
  readonly isOwn: boolean;
}

/** An operator's token to be issued. */
export interface AccessTokenRequest {
  readonly userId: string;
  readonly isAdmin: boolean;
  readonly roleId: string;
  readonly email: string | null;
  readonly operatorSession: AccessClaims['operatorSession'];
  /** Latest expiry. */
  readonly notAfter: Date | null;
}

/** Access tokens of the assistant and platform APIs: JWT, HS256. */
export interface AccessTokens {
  issue(request: AccessTokenRequest): Promise<{ readonly token: string; readonly expiresAt: Date }>;
  /** Null: forged, expired, of an unknown issuer, or not an access token. */
  read(token: string): Promise<AccessClaims | null>;
}
