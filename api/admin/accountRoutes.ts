import { z } from 'zod';
import { capabilities, hasCapability, operatorRoles } from '../../domain/operator/capabilities.ts';
import { type Route, route } from '../http/route.ts';
import type { OperatorGuards } from './guard.ts';

const nothing = z.object({});

/**
 * What an operator asks about themselves.
 *
 * @param relyingPartyApi public origin of the relying-party API, without `/v3`: what a client is configured with
 */
export function accountRoutes(guards: OperatorGuards, relyingPartyApi: string): readonly Route[] {
  return [
    route({
      name: 'admin.account',
      summary: 'Who is signed in, and what they may do',
      method: 'GET',
      path: '/v3/admin/account',
      listedUnder: null,
      guard: guards.signedInBeforePasswordChange,
      params: nothing,
      query: nothing,
      body: null,
      response: {
        200: z.strictObject({
          id: z.string(),
          role: z.enum(operatorRoles),
          capabilities: z.array(z.enum(capabilities)),
          email: z.string().nullable(),
          mustChangePassword: z.boolean(),
          expiresAt: z.iso.datetime().nullable(),
          relyingPartyApi: z.url(),
        }),
      },
      handle: ({ principal: { id, role, session } }) => ({
        body: {
          ...{ id, role },
          capabilities: capabilities.filter((capability) => hasCapability(role, capability)),
          email: session?.operator.email ?? null,
          mustChangePassword: session?.operator.mustChangePassword ?? false,
          expiresAt: session?.expiresAt ?? null,
          relyingPartyApi,
        },
      }),
    }),
  ];
}
