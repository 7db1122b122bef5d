import { z } from 'zod';
import { capabilities, hasCapability } from '../../domain/operator/capabilities.ts';
import { type Route, route } from '../http/route.ts';
import type { OperatorGuards } from './guard.ts';

const nothing = z.object({});

/** What an operator asks about themselves. */
export function accountRoutes(guards: OperatorGuards): readonly Route[] {
  return [
    route({
      name: 'admin.account',
      summary: 'Who is signed in, and what they may do',
      method: 'GET',
      path: '/v3/admin/account',
      listedUnder: null,
      guard: guards.signedIn,
      params: nothing,
      query: nothing,
      body: null,
      handle: ({ principal: { id, role } }) => ({
        body: {
          ...{ id, role },
          capabilities: capabilities.filter((capability) => hasCapability(role, capability)),
        },
      }),
    }),
  ];
}
