import { delayAfter, GIVEN_UP_AFTER_MS, NO_PLACE_MS } from '../delivery.ts';
import type { Clock } from '../ports/clock.ts';
import type { RelyingPartyData } from '../ports/referenceData.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { Job, JobPayload, Jobs } from '../reactors/ports/jobs.ts';
import { createEndings, type EndingDependencies, LEAST_ATTEMPTS } from './endings.ts';
import type {
  Channel,
  ClaimedMessage,
  SendOutcome,
  SendWebhook,
  Subscribers,
  WebhookKeys,
  WebhookMessage,
  WebhookOutbox,
  WebhookQueue,
} from './ports/webhooks.ts';

/** Name of the jobs that deliver what waits for one address. */
export const webhookJob = 'deliverWebhooks';

/** Addresses sent to at once in one process: those that hang leave places of jobs to others. */
const AT_ONCE = 4;
/** Addresses of one relying party, or turns of one address, at once in one process. */
const AT_ONCE_OF_ONE = 2;
/** Rounds of one job, and the time after which it begins no other one, ms: others have their turn. */
const ROUNDS = 20;
const TURN_MS = 15_000;

/** Job that delivers what waits for an address. @param cause tells jobs apart; see {@link Job.id} */
export function wake({ relyingPartyId, address }: WebhookQueue, cause: string, runAt?: Date): Job {
  return {
    name: webhookJob,
    id: `${webhookJob}/${cause}`,
    payload: { relyingPartyId, address },
    ...(runAt !== undefined && { runAt }),
  };
}

/** Webhooks of relying parties, each signed with its keys. */
export function webhookChannel({
  subscribers,
  referenceData,
  keys,
  send,
  clock,
}: {
  readonly subscribers: Subscribers;
  readonly referenceData: {
    relyingParty(id: string): Promise<Pick<RelyingPartyData, 'active' | 'webhooks'> | null>;
  };
  readonly keys: Pick<WebhookKeys, 'inForce'>;
  readonly send: SendWebhook;
  readonly clock: Clock;
}): Channel {
  return {
    async queues() {
      const all = await subscribers.all();
      return all.flatMap(({ relyingPartyId, webhooks }) =>
        webhooks.map(({ address }) => ({ relyingPartyId, address })),
      );
    },
    async open({ relyingPartyId, address }) {
      // Read model of subscribers lacks what it does not show yet: messages end for an address that is not there.
      const own = await referenceData.relyingParty(relyingPartyId);
      if (own?.active !== true || !own.webhooks.some((each) => each.address === address))
        return null;
      const inForce = await keys.inForce(relyingPartyId, clock.now());
      return (message) => send(message, inForce);
    },
  };
}

export interface WebhookDeliveryOptions extends EndingDependencies {
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly outbox: WebhookOutbox;
  readonly channels: readonly Channel[];
  readonly randomness: Pick<Randomness, 'uuid'>;
  /** Called with each attempt that failed. */
  readonly onFailed: (relyingPartyId: string, reason: string) => void;
}

/**
 * Makes the handler of {@link webhookJob}: sends what waits for one address, of each subject one message after another.
 * A failed one is tried again with growing delays, for a day; while an address does not answer, nothing else is sent to
 * it, and one that is gone (410) ends. Safe in several processes at once: what another one sends is left to it.
 */
export function createWebhookDelivery(options: WebhookDeliveryOptions) {
  const { jobs, outbox, channels, undelivered, clock, randomness } = options;
  const endings = createEndings(options);
  /** Relying parties that are sent to, each as often as it is. */
  const running: string[] = [];

  const later = (ms: number) => new Date(clock.now().getTime() + ms);

  /** Jobs for the same moment are one: whatever found nothing to do would come again as often. */
  function again(queue: WebhookQueue, at: Date): Promise<void> {
    const isLater = at.getTime() > clock.now().getTime();
    const cause = `${queue.relyingPartyId} ${queue.address} ${at.getTime()}`;
    return jobs.enqueue(wake(queue, isLater ? cause : randomness.uuid(), at));
  }

  /** The next whole time that leaves others the places. */
  function afterOthers(): Date {
    return new Date(Math.ceil(later(NO_PLACE_MS).getTime() / NO_PLACE_MS) * NO_PLACE_MS);
  }

  async function gone(message: ClaimedMessage): Promise<void> {
    const reason = 'The address is gone (HTTP 410).';
    const now = clock.now();
    await endings.show(message, true, reason);
    await endings.record(message);
    await outbox.gone(message, now);
    await outbox.settle(message.id, { state: 'DEAD', reason }, now);
    await endings.endAll(message, reason, (each) => endings.show(each, true, reason));
  }

  async function failed(message: ClaimedMessage, reason: string): Promise<void> {
    const now = clock.now();
    const isOld = now.getTime() - message.since.getTime() >= GIVEN_UP_AFTER_MS;
    const isGivenUp = isOld && message.attempts >= LEAST_ATTEMPTS;
    await endings.show(message, isGivenUp, reason);
    if (isGivenUp) {
      await endings.record(message);
      await outbox.settle(message.id, { state: 'DEAD', reason }, now);
      return;
    }
    const nextAt = later(delayAfter(message.attempts));
    await outbox.settle(message.id, { state: 'WAITING', reason, nextAt }, now);
  }

  /** @returns false when nobody answered */
  async function deliver(
    message: ClaimedMessage,
    send: (message: WebhookMessage) => Promise<SendOutcome>,
  ): Promise<boolean> {
    const outcome = await send(message);
    if (outcome.kind === 'TAKEN') {
      await outbox.settle(message.id, { state: 'DELIVERED' }, clock.now());
      if (message.attempts > 0) await undelivered.remove(message.id);
      return true;
    }
    const tried = { ...message, attempts: message.attempts + 1 };
    const reason = 'reason' in outcome ? outcome.reason : 'HTTP 410.';
    options.onFailed(message.relyingPartyId, reason);
    await (outcome.kind === 'GONE' ? gone(tried) : failed(tried, reason));
    return outcome.kind !== 'UNREACHABLE';
  }

  /** Null once the address, or who has it, was taken away. */
  async function open(queue: WebhookQueue) {
    for (const channel of channels) {
      const send = await channel.open(queue);
      if (send !== null) return send;
    }
    return null;
  }

  /** Sends some of what waits. @returns false when nothing is to be sent now */
  async function sendSome(queue: WebhookQueue): Promise<boolean> {
    const send = await open(queue);
    if (send === null) {
      const reason = 'The address is registered no more.';
      await endings.endAll(queue, reason, ({ id }) => undelivered.remove(id));
      return false;
    }
    const claimed = await outbox.claim(queue, clock.now());
    if (claimed.length === 0) return false;
    const answered = await Promise.all(claimed.map((each) => deliver(each, send)));
    if (answered.includes(false)) {
      await outbox.pause(queue, later(delayAfter(await outbox.failed(queue, clock.now()))));
      return false;
    }
    await outbox.answered(queue);
    return true;
  }

  /** @returns time of the next turn; null: nothing waits */
  async function drain(queue: WebhookQueue): Promise<Date | null> {
    const end = later(TURN_MS);
    for (let round = 0; round < ROUNDS; round += 1) {
      if (!(await sendSome(queue))) return outbox.nextAt(queue, clock.now());
      if (clock.now() >= end) return afterOthers();
    }
    return clock.now();
  }

  return async (payload: JobPayload): Promise<void> => {
    const queue = payload as unknown as WebhookQueue;
    const { relyingPartyId } = queue;
    const ofOne = running.filter((each) => each === relyingPartyId);
    if (running.length >= AT_ONCE || ofOne.length >= AT_ONCE_OF_ONE) {
      return again(queue, afterOthers());
    }
    running.push(relyingPartyId);
    try {
      const nextAt = await drain(queue);
      if (nextAt !== null) await again(queue, nextAt);
    } finally {
      running.splice(running.indexOf(relyingPartyId), 1);
    }
  };
}
