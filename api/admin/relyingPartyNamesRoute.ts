import { z } from 'zod';
import { maxAliases } from '../../domain/relyingParty/names.ts';
import { type Route, route } from '../http/route.ts';
import { visibleText } from '../../domain/shared/requestFields.ts';
import { approvalView, pendingReply } from './approvalRoutes.ts';
import type { OperatorGuards } from './guard.ts';
import type { RelyingPartyAdminApi } from './relyingPartyRoutes.ts';
import { readRelyingParty, relyingPartyParams, relyingPartyView } from './relyingPartyViews.ts';
import { comment, submitFor } from './submitting.ts';

/** Names a relying party may send beside its registered one: two operators set them, all at once. */
export function relyingPartyNamesRoute(guards: OperatorGuards, api: RelyingPartyAdminApi): Route {
  return route({
    guard: guards.withCapability('rp:write'),
    name: 'admin.relyingParties.setNames',
    summary: 'Set the names that a relying party may show to citizens besides its registered one',
    method: 'PUT',
    path: '/v3/admin/relying-parties/:id/names',
    params: z.object(relyingPartyParams),
    body: z.strictObject({
      aliases: z.array(visibleText(64)).max(maxAliases),
      otherNames: z.boolean(),
      comment,
    }),
    response: { 200: relyingPartyView, 202: approvalView },
    handle: async (request) => {
      const { id: relyingPartyId } = request.params;
      const { aliases, otherNames } = request.body;
      const operation = 'relyingParty.setNames';
      const command = { operation, relyingPartyId, aliases, otherNames } as const;
      const submitted = await submitFor(api.submit, request, command);
      return submitted.kind === 'PENDING'
        ? pendingReply(submitted.approval)
        : { body: await readRelyingParty(api.eventStore, relyingPartyId) };
    },
  });
}
