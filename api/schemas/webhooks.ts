import { z } from 'zod';
import {
  MESSAGES_SHOWN,
  type ShownMessage,
  webhookStates,
} from '../../application/webhooks/ports/webhooks.ts';
import { count, moment } from './answers.ts';

/** Events that a relying party was told of, or is to be. */
export const webhookMessagesAnswer = z.strictObject({
  messages: z
    .array(
      z.strictObject({
        id: z.string().meta({ description: 'webhook-id' }),
        type: z.string(),
        address: z.string(),
        state: z.enum(webhookStates).meta({
          description: 'WAITING: being sent or retried; DEAD: given up, sent again only on request',
        }),
        attempts: count.meta({ description: 'Failed attempts' }),
        reason: z.string().nullable().meta({ description: 'Why the last attempt failed' }),
        since: moment,
        triedAt: moment.nullable(),
      }),
    )
    .meta({ description: `Newest first, at most ${MESSAGES_SHOWN}` }),
});

export function webhookMessagesBody(
  messages: readonly ShownMessage[],
): z.output<typeof webhookMessagesAnswer> {
  return {
    messages: messages.map((each) => ({
      ...each,
      since: each.since.toISOString(),
      triedAt: each.triedAt?.toISOString() ?? null,
    })),
  };
}

/** Choice of the messages that are sent again. */
export const resendBody = z.object({
  id: z
    .string()
    .max(100)
    .nullable()
    .default(null)
    .meta({ description: 'webhook-id; null for all' }),
});

export const resentAnswer = z.strictObject({
  resent: count.meta({ description: 'Number of messages that are sent again' }),
});
