import type { Role } from '../../shared/account.ts';

/** Every role, the one that may most first: a role the API gains or loses does not compile. */
export const roles = Object.keys({
  SUPER_ADMIN: true,
  RP_OPERATOR: true,
  SUPPORT: true,
  SECURITY_OFFICER: true,
  AUDITOR: true,
} satisfies Record<Role, true>) as Role[];
