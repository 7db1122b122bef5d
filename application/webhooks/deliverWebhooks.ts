import type { AccessLog } from '../organization/accessLog.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { Undelivered } from '../ports/undelivered.ts';
import type { Job, JobPayload, Jobs } from '../reactors/ports/jobs.ts';
import { asReactor } from '../reactors/reactor.ts';
import type {
  ClaimedMessage,
  SendOutcome,
  SendWebhook,
  Subscribers,
  WebhookKey,
  WebhookKeys,
  WebhookOutbox,
  WebhookQueue,
} from './ports/webhooks.ts';

/** Name of the jobs that deliver what waits for one address. */
export const webhookJob = 'deliverWebhooks';

/** Time after which a message is given up, ms. */
const GIVEN_UP_AFTER_MS = 86_400_000;
/** Delay after the first failure, doubling up to the longest, ms. */
const FIRST_DELAY_MS = 5_000;
const LONGEST_DELAY_MS = 3_600_000;
/** Addresses sent to at once in one process: those that hang leave places of jobs to others. */
const AT_ONCE = 4;
const NO_PLACE_MS = 1_000;
/** Rounds of one job, after which others have their turn. */
const ROUNDS = 20;

/** Job that delivers what waits for an address. @param cause tells jobs apart; see {@link Job.id} */
export function wake({ relyingPartyId, address }: WebhookQueue, cause: string, runAt?: Date): Job {
  return {
    name: webhookJob,
    id: `${webhookJob}/${cause}`,
    payload: { relyingPartyId, address },
    ...(runAt !== undefined && { runAt }),
  };
}

export interface WebhookDeliveryOptions {
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly outbox: WebhookOutbox;
  readonly subscribers: Subscribers;
  readonly keys: Pick<WebhookKeys, 'inForce'>;
  readonly send: SendWebhook;
  /** Shows operators what was not taken. */
  readonly undelivered: Undelivered;
  readonly accessLog: AccessLog;
  readonly clock: Clock;
  readonly randomness: Pick<Randomness, 'uuid'>;
  /** Called with each attempt that failed. */
  readonly onFailed: (relyingPartyId: string, reason: string) => void;
}

/**
 * Makes the handler of {@link webhookJob}: sends what waits for one address, of each subject one message after another.
 * A failed one is tried again with growing delays, for a day; while an address does not answer, nothing else is sent to
 * it, and one that is gone (410) ends. Safe in several processes at once.
 */
export function createWebhookDelivery(options: WebhookDeliveryOptions) {
  const { jobs, outbox, keys, send, undelivered, accessLog, clock, randomness } = options;
  let running = 0;

  const later = (ms: number) => new Date(clock.now().getTime() + ms);
  const delay = (failures: number) =>
    Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.max(0, failures - 1));

  async function note(message: ClaimedMessage, reason: string, isGivenUp: boolean): Promise<void> {
    const { id, relyingPartyId, type, since, attempts } = message;
    const triedAt = clock.now();
    options.onFailed(relyingPartyId, reason);
    const failed = { id, kind: 'WEBHOOK', clientId: relyingPartyId, since, reason } as const;
    await undelivered.put({ ...failed, attempts: attempts + 1, triedAt, isGivenUp });
    if (!isGivenUp) return;
    const givenUpAt = triedAt.toISOString();
    const data = { relyingPartyId, messageId: id, type, since: since.toISOString(), givenUpAt };
    await accessLog({ type: 'WebhookUndelivered', data }, asReactor(webhookJob, id));
  }

  async function failed(message: ClaimedMessage, outcome: SendOutcome): Promise<void> {
    const now = clock.now();
    if (outcome.kind === 'GONE') {
      const reason = 'The address is gone (HTTP 410).';
      await note(message, reason, true);
      await outbox.end(message, reason, now);
      return;
    }
    const reason = 'reason' in outcome ? outcome.reason : '';
    const isGivenUp = now.getTime() - message.since.getTime() >= GIVEN_UP_AFTER_MS;
    await note(message, reason, isGivenUp);
    if (isGivenUp) {
      await outbox.settle(message.id, { state: 'DEAD', reason }, now);
      return;
    }
    const nextAt = later(delay(message.attempts + 1));
    await outbox.settle(message.id, { state: 'WAITING', reason, nextAt }, now);
  }

  /** @returns false when nobody answered */
  async function deliver(
    message: ClaimedMessage,
    inForce: readonly WebhookKey[],
  ): Promise<boolean> {
    const outcome = await send(message, inForce);
    if (outcome.kind === 'TAKEN') {
      await outbox.settle(message.id, { state: 'DELIVERED' }, clock.now());
      if (message.attempts > 0) await undelivered.remove(message.id);
    } else await failed(message, outcome);
    return outcome.kind !== 'UNREACHABLE';
  }

  /** False once the address, or its relying party, was taken away. */
  async function isRegistered({ relyingPartyId, address }: WebhookQueue): Promise<boolean> {
    const subscribers = await options.subscribers.all();
    const own = subscribers.find((each) => each.relyingPartyId === relyingPartyId);
    return own?.webhooks.includes(address) ?? false;
  }

  /** @returns rounds in which something was sent, whatever came of it */
  async function drain(queue: WebhookQueue): Promise<number> {
    let round = 0;
    for (; round < ROUNDS; round += 1) {
      const claimed = await outbox.claim(queue, clock.now());
      if (claimed.length === 0) break;
      const inForce = await keys.inForce(queue.relyingPartyId, clock.now());
      const answered = await Promise.all(claimed.map((each) => deliver(each, inForce)));
      if (answered.includes(false)) {
        await outbox.pause(queue, later(delay(await outbox.failed(queue))));
        break;
      }
      await outbox.answered(queue);
    }
    return round;
  }

  return async (payload: JobPayload): Promise<void> => {
    const queue = payload as unknown as WebhookQueue;
    if (running >= AT_ONCE) {
      await jobs.enqueue(wake(queue, randomness.uuid(), later(NO_PLACE_MS)));
      return;
    }
    running += 1;
    try {
      if (!(await isRegistered(queue))) {
        await outbox.end(queue, 'The address is registered no more.', null);
        return;
      }
      const rounds = await drain(queue);
      const nextAt = rounds === ROUNDS ? clock.now() : await outbox.nextAt(queue, clock.now());
      if (nextAt === null) return;
      // Jobs that found nothing to send wake for the same moment: one of them will do.
      const { relyingPartyId, address } = queue;
      const cause =
        rounds > 0 ? randomness.uuid() : `${relyingPartyId} ${address} ${nextAt.getTime()}`;
      await jobs.enqueue(wake(queue, cause, nextAt));
    } finally {
      running -= 1;
    }
  };
}
