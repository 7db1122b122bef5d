import type { Role } from '../../shared/account.ts';

/**
 * All roles, the most powerful first; typed so that a change of the API's roles fails to compile.
 */
export const roles = Object.keys({
  SUPER_ADMIN: true,
  RP_OPERATOR: true,
  SUPPORT: true,
  SECURITY_OFFICER: true,
  AUDITOR: true,
} satisfies Record<Role, true>) as Role[];
