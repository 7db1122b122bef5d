import { accountRoutes } from '../api/admin/accountRoutes.ts';
import { createOperatorGuards } from '../api/admin/guard.ts';
import type { Core } from './core.ts';
import type { ServicePart } from './part.ts';

/** Operators: who they are and what they may do. */
export function composeOperators({ config }: Core) {
  const adminKey = config.SVC_ADMIN_API_KEY ?? null;
  const guards = createOperatorGuards({
    adminKey,
    openToAll: config.SVC_PROFILE === 'development' && adminKey === null,
  });
  const part: ServicePart = { routes: accountRoutes(guards) };
  return { part, guards };
}
