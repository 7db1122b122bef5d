import type { AccessLog } from '../organization/accessLog.ts';
import { GIVEN_UP_AFTER_MS } from '../delivery.ts';
import type { Clock } from '../ports/clock.ts';
import type { Undelivered } from '../ports/undelivered.ts';
import { asReactor } from '../reactors/reactor.ts';
import type { ClaimedMessage, WebhookOutbox, WebhookQueue } from './ports/webhooks.ts';

/** Attempts that a message, or the address it waits for, has had before it is given up: an outage may be ours. */
export const LEAST_ATTEMPTS = 5;

export interface EndingDependencies {
  readonly outbox: Pick<WebhookOutbox, 'end' | 'overdue'>;
  /** Shows operators what was not taken. */
  readonly undelivered: Undelivered;
  readonly accessLog: AccessLog;
  readonly clock: Clock;
}

/** Gives messages up. One event stands for all that are given up with the same address. */
export function createEndings({ outbox, undelivered, accessLog, clock }: EndingDependencies) {
  /** Puts a failed attempt on the list of operators. */
  function show(message: ClaimedMessage, isGivenUp: boolean, reason: string): Promise<void> {
    const { id, relyingPartyId, since, attempts } = message;
    const shown = { id, kind: 'WEBHOOK', clientId: relyingPartyId, since, attempts } as const;
    return undelivered.put({ ...shown, reason, triedAt: clock.now(), isGivenUp });
  }

  /** Records that no other attempt follows. */
  function record({ id, relyingPartyId, type, since }: ClaimedMessage): Promise<void> {
    const givenUpAt = clock.now().toISOString();
    const data = { relyingPartyId, messageId: id, type, since: since.toISOString(), givenUpAt };
    return accessLog({ type: 'WebhookUndelivered', data }, asReactor('deliverWebhooks', id));
  }

  /** Ends what has waited for the address since a time or longer, page by page. */
  async function endAll(
    queue: WebhookQueue,
    reason: string,
    onEnded: (message: ClaimedMessage) => Promise<void>,
    before = clock.now(),
  ): Promise<void> {
    for (;;) {
      const ended = await outbox.end(queue, { reason, before }, clock.now());
      // Messages that were never tried are on no list.
      for (const each of ended) if (each.attempts > 0) await onEnded(each);
      if (ended.length === 0) return;
    }
  }

  /** Gives up what waits for addresses that have not answered for a day, recorded first. */
  async function overdue(): Promise<void> {
    const now = clock.now();
    const before = new Date(now.getTime() - GIVEN_UP_AFTER_MS);
    for (const oldest of await outbox.overdue(before, LEAST_ATTEMPTS, now)) {
      const reason = 'The address has not answered for a day.';
      await record(oldest);
      await endAll(oldest, reason, (each) => show(each, true, reason), before);
    }
  }

  return { show, record, endAll, overdue };
}
