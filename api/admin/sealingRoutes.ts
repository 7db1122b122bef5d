import { z } from 'zod';
import { withdrawSealing } from '../../application/relyingParty/administration.ts';
import { organizationParams } from '../seal/routes.ts';
import { type Route, route } from '../http/route.ts';
import { approvalView, pendingReply } from './approvalRoutes.ts';
import { byOperator, type OperatorGuards } from './guard.ts';
import type { RelyingPartyAdminApi } from './relyingPartyRoutes.ts';
import { readRelyingParty, relyingPartyParams, relyingPartyView } from './relyingPartyViews.ts';
import { comment, submitFor } from './submitting.ts';

const root = '/v3/admin/relying-parties/:id/seal-organizations';

/** Organizations a relying party may seal for: two operators allow, one withdraws. */
export function sealingRoutes(guards: OperatorGuards, api: RelyingPartyAdminApi): readonly Route[] {
  const { eventStore } = api;
  const guard = guards.withCapability('rp:write');
  const shown = { 200: relyingPartyView };
  return [
    route({
      guard,
      name: 'admin.relyingParties.allowSealing',
      summary: 'Allow a relying party to seal for an organization',
      method: 'POST',
      path: root,
      params: z.object(relyingPartyParams),
      body: organizationParams.extend({ comment }),
      response: { ...shown, 202: approvalView },
      handle: async (request) => {
        const { id: relyingPartyId } = request.params;
        const { orgEtsi: register } = request.body;
        const operation = 'relyingParty.allowSealing';
        const command = { operation, relyingPartyId, register } as const;
        const submitted = await submitFor(api.submit, request, command);
        return submitted.kind === 'PENDING'
          ? pendingReply(submitted.approval)
          : { body: await readRelyingParty(eventStore, relyingPartyId) };
      },
    }),
    route({
      guard,
      name: 'admin.relyingParties.withdrawSealing',
      summary: "Withdraw a relying party's permission to seal for an organization, at once",
      method: 'DELETE',
      path: `${root}/:orgEtsi`,
      params: z.object(relyingPartyParams).extend(organizationParams.shape),
      response: shown,
      handle: async ({ principal, params: { id: relyingPartyId, orgEtsi: register }, context }) => {
        const origin = byOperator(context, principal, relyingPartyId);
        await withdrawSealing(api, { relyingPartyId, register }, origin);
        return { body: await readRelyingParty(eventStore, relyingPartyId) };
      },
    }),
  ];
}
