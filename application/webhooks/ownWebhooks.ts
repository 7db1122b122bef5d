import type { CommandContext } from '../handleCommand.ts';
import type { AccessLog } from '../organization/accessLog.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { Undelivered } from '../ports/undelivered.ts';
import type { Jobs } from '../reactors/ports/jobs.ts';
import { wake } from './deliverWebhooks.ts';
import type { WebhookKey, WebhookKeys, WebhookOutbox } from './ports/webhooks.ts';

/** Time for which former keys sign beside new ones, ms: a relying party deploys the new one meanwhile. */
const KEY_OVERLAP_MS = 86_400_000;

export interface WebhookDependencies {
  readonly outbox: Pick<WebhookOutbox, 'revive' | 'shown'>;
  readonly keys: WebhookKeys;
  readonly undelivered: Pick<Undelivered, 'remove'>;
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly accessLog: AccessLog;
  readonly clock: Clock;
  readonly randomness: Pick<Randomness, 'uuid'>;
}

export interface RotatedKeys extends Pick<WebhookKey, 'secret' | 'publicKey'> {
  readonly formerUntil: Date;
}

/** Makes new keys, recorded first; those before sign, too, for {@link KEY_OVERLAP_MS}. @throws Unavailable */
export async function rotateWebhookKeys(
  { keys, accessLog, clock }: WebhookDependencies,
  relyingPartyId: string,
  context: CommandContext,
): Promise<RotatedKeys> {
  const now = clock.now();
  const formerUntil = new Date(now.getTime() + KEY_OVERLAP_MS);
  const data = {
    relyingPartyId,
    formerUntil: formerUntil.toISOString(),
    rotatedAt: now.toISOString(),
  };
  await accessLog({ type: 'WebhookKeysRotated', data }, context);
  const { secret, publicKey } = await keys.rotate(relyingPartyId, now, formerUntil);
  return { secret, publicKey, formerUntil };
}

/**
 * Sends messages again of which no other attempt would follow, for another day.
 *
 * @param id null: all of the relying party
 * @returns their number @throws Unavailable
 */
export async function resendWebhooks(
  { outbox, undelivered, jobs, clock, randomness }: WebhookDependencies,
  relyingPartyId: string,
  id: string | null,
): Promise<number> {
  const queues = await outbox.revive(relyingPartyId, id, clock.now());
  const ids = queues.flatMap((queue) => queue.ids);
  for (const each of ids) await undelivered.remove(each);
  await jobs.enqueue(...queues.map((queue) => wake(queue, randomness.uuid())));
  return ids.length;
}
