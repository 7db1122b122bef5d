import { z } from 'zod';
import type { AccessTokens } from '../../application/platform/ports/accessTokens.ts';
import { type Route, route } from '../http/route.ts';
import type { OperatorGuards } from './guard.ts';

/** Issues an operator's access token for the assistant API (contract §12). */
export function accessTokenRoute(guards: OperatorGuards, tokens: AccessTokens): Route {
  return route({
    name: 'admin.auth.accessToken',
    summary: 'Get an access token (JWT) for the assistant API, valid for 15 minutes',
    method: 'POST',
    path: '/v3/admin/auth/access-token',
    guard: guards.signedIn,
    response: { 200: z.strictObject({ token: z.string(), expiresAt: z.iso.datetime() }) },
    handle: async ({ principal: { id, role, session } }) => {
      const issued = await tokens.issue({
        userId: id,
        isAdmin: role === 'SUPER_ADMIN',
        roleId: role,
        email: session?.operator.email ?? null,
        operatorSession:
          session === null ? null : { sessionId: session.sessionId, epoch: session.operator.epoch },
        notAfter: session?.expiresAt ?? null,
      });
      return { headers: { 'cache-control': 'no-store' }, body: issued };
    },
  });
}
