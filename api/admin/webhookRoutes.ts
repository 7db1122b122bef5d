import { z } from 'zod';
import type { EventStore } from '../../application/ports/eventStore.ts';
import {
  resendWebhooks,
  type WebhookDependencies,
} from '../../application/webhooks/ownWebhooks.ts';
import { type Route, route } from '../http/route.ts';
import {
  resendBody,
  resentAnswer,
  webhookMessagesAnswer,
  webhookMessagesBody,
} from '../schemas/webhooks.ts';
import type { OperatorGuards } from './guard.ts';
import { readRelyingParty, relyingPartyParams } from './relyingPartyViews.ts';

export interface WebhookAdminApi extends WebhookDependencies {
  readonly eventStore: Pick<EventStore, 'read'>;
}

const root = '/v3/admin/relying-parties/:id/webhook-messages';

/** Events that a relying party is told of, for operators. */
export function webhookRoutes(guards: OperatorGuards, api: WebhookAdminApi): readonly Route[] {
  return [
    route({
      guard: guards.withCapability('rp:read'),
      name: 'admin.relyingParties.webhookMessages',
      summary: 'List events for a relying party, with the state of their delivery',
      method: 'GET',
      path: root,
      params: z.object(relyingPartyParams),
      response: { 200: webhookMessagesAnswer },
      handle: async ({ params: { id } }) => {
        await readRelyingParty(api.eventStore, id);
        return { body: webhookMessagesBody(await api.outbox.shown(id)) };
      },
    }),
    route({
      guard: guards.withCapability('rp:write'),
      name: 'admin.relyingParties.resendWebhookMessages',
      summary: 'Resend events that a relying party did not accept',
      method: 'POST',
      path: `${root}/resend`,
      params: z.object(relyingPartyParams),
      body: resendBody,
      response: { 200: resentAnswer },
      handle: async ({ params: { id }, body }) => {
        await readRelyingParty(api.eventStore, id);
        return { body: { resent: await resendWebhooks(api, id, body.id) } };
      },
    }),
  ];
}
