import type { OperatorRole } from '../../domain/operator/capabilities.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { FindOperatorSession } from '../operator/operators.ts';
import type { AccessClaims, AccessTokens } from './ports/accessTokens.ts';

/** A user signed in with an access token of contract §12, or as an operator. */
export interface SignedInUser {
  /** `UserID` of the access token, or the operator's id. */
  readonly userId: string;
  /** By claim of the issuer; for operators: currently SUPER_ADMIN. */
  readonly isAdmin: boolean;
  /** `RoleID` of the access token; an operator's current role. */
  readonly roleId: string | null;
  /** Issuer of the access token; null for operators. */
  readonly issuer: string | null;
  /** `TenantID` of the access token; null when missing, and for operators. */
  readonly tenantId: string | null;
  /** Set for an operator of this platform, with the current role. */
  readonly operator: { readonly id: string; readonly role: OperatorRole } | null;
}

export interface SignedInUserOptions {
  readonly tokens: Pick<AccessTokens, 'read'>;
  readonly findSession: FindOperatorSession;
  /** Current role of the operator of a token issued here; null: not an operator (any more). */
  readonly currentRole: (claims: AccessClaims) => Promise<OperatorRole | null>;
}

/**
 * Finds the user of an access token or an operator's session token; null: invalid.
 *
 * @throws Refusal PASSWORD_CHANGE_REQUIRED
 */
export type FindSignedInUser = (token: string) => Promise<SignedInUser | null>;

export function createFindSignedInUser(options: SignedInUserOptions): FindSignedInUser {
  const { tokens, findSession, currentRole } = options;

  async function operatorOf(token: string): Promise<SignedInUser | null> {
    const session = await findSession(token);
    if (session === null) return null;
    const { operatorId, role, mustChangePassword } = session.operator;
    if (mustChangePassword) throw new Refusal('PASSWORD_CHANGE_REQUIRED');
    return operatorUser(operatorId, role);
  }

  return async (token) => {
    const claims = await tokens.read(token);
    if (claims === null) return operatorOf(token);
    const { userId, isAdmin, isOwn, issuer, roleId, tenantId } = claims;
    if (!isOwn) return { userId, isAdmin, roleId, issuer, tenantId, operator: null };
    const role = await currentRole(claims);
    return role === null ? null : operatorUser(userId, role);
  };
}

function operatorUser(id: string, role: OperatorRole): SignedInUser {
  const isAdmin = role === 'SUPER_ADMIN';
  const operator = { id, role };
  return { userId: id, isAdmin, roleId: role, issuer: null, tenantId: null, operator };
}
