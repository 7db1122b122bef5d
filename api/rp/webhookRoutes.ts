import { z } from 'zod';
import type { RelyingPartyReferenceData } from '../../application/ports/referenceData.ts';
import {
  resendWebhooks,
  rotateWebhookKeys,
  type WebhookDependencies,
} from '../../application/webhooks/ownWebhooks.ts';
import { relyingPartySettings } from '../../domain/relyingParty/settings.ts';
import { commandContext } from '../http/handling.ts';
import { type Route, route } from '../http/route.ts';
import { moment } from '../schemas/answers.ts';
import {
  resendBody,
  resentAnswer,
  webhookMessagesAnswer,
  webhookMessagesBody,
} from '../schemas/webhooks.ts';
import { relyingPartyGuard } from './guard.ts';

const publicKey = z.string().meta({ description: 'whpk_…: Ed25519 key of v1a signatures' });

/** Events that the relying party is told of, for itself: addresses, keys, messages. */
export function ownWebhookRoutes(
  referenceData: RelyingPartyReferenceData,
  api: WebhookDependencies,
): readonly Route[] {
  const guard = relyingPartyGuard(referenceData, null);
  return [
    route({
      guard,
      name: 'ownWebhooks',
      summary: "Get this relying party's webhooks: addresses, event types and keys",
      method: 'GET',
      path: '/v3/rp/webhooks',
      response: {
        200: z.strictObject({
          addresses: relyingPartySettings.webhooks.answer,
          publicKeys: z.array(publicKey).meta({ description: 'Present keys, newest first' }),
        }),
      },
      handle: async ({ principal: { relyingPartyId, webhooks } }) => {
        const keys = await api.keys.inForce(relyingPartyId, api.clock.now());
        const publicKeys = keys.map((each) => each.publicKey);
        return { body: { addresses: webhooks, publicKeys } };
      },
    }),
    route({
      guard,
      name: 'rotateOwnWebhookKeys',
      summary:
        'Create new webhook keys for this relying party; the former ones also sign for a day',
      method: 'POST',
      path: '/v3/rp/webhooks/keys',
      response: {
        200: z.strictObject({
          secret: z.string().meta({ description: 'whsec_…: secret of v1 signatures; shown once' }),
          publicKey,
          formerUntil: moment,
        }),
      },
      handle: async ({ principal: { relyingPartyId }, context }) => {
        const caller = { kind: 'relyingParty', id: relyingPartyId } as const;
        const origin = commandContext(context, caller, relyingPartyId);
        const { formerUntil, ...made } = await rotateWebhookKeys(api, relyingPartyId, origin);
        return { body: { ...made, formerUntil: formerUntil.toISOString() } };
      },
    }),
    route({
      guard,
      name: 'ownWebhookMessages',
      summary: 'List events for this relying party, with the state of their delivery',
      method: 'GET',
      path: '/v3/rp/webhooks/messages',
      response: { 200: webhookMessagesAnswer },
      handle: async ({ principal: { relyingPartyId } }) => ({
        body: webhookMessagesBody(await api.outbox.shown(relyingPartyId)),
      }),
    }),
    route({
      guard,
      name: 'resendOwnWebhookMessages',
      summary: 'Resend events that this relying party did not accept',
      method: 'POST',
      path: '/v3/rp/webhooks/messages/resend',
      body: resendBody,
      response: { 200: resentAnswer },
      handle: async ({ principal: { relyingPartyId }, body: { id } }) => ({
        body: { resent: await resendWebhooks(api, relyingPartyId, id) },
      }),
    }),
  ];
}
