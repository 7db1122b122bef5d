import type { Clock } from '../ports/clock.ts';
import type { Jobs } from '../reactors/ports/jobs.ts';
import { createReactor, type Reactor, type ReactorDependencies } from '../reactors/reactor.ts';
import { createSweep, type SweepDependencies } from '../reactors/sweep.ts';
import {
  type AnnouncementDependencies,
  createAnnouncements,
  messagesOf,
  toldCategories,
  toldTypes,
} from './announcements.ts';
import { webhookJob, wake } from './deliverWebhooks.ts';
import type { Subscribers, WebhookOutbox, WebhookQueue } from './ports/webhooks.ts';

export interface TellingOptions extends ReactorDependencies, AnnouncementDependencies {
  readonly subscribers: Subscribers;
  readonly outbox: Pick<WebhookOutbox, 'add'>;
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly clock: Clock;
}

/**
 * Keeps a message for each relying party that an event concerns, and has it delivered. One reactor follows all kinds of
 * events, so that what is told of one subject keeps the order of the log, and a relying party is known to have met a
 * citizen before an end of the citizen's is looked at.
 */
export function createTelling(options: TellingOptions): Reactor {
  const { subscribers, outbox, jobs, clock } = options;
  const announcementOf = createAnnouncements(options);
  return createReactor(
    { name: 'tellRelyingParties', category: toldCategories, types: toldTypes },
    async (told) => {
      const all = await subscribers.all();
      if (all.length === 0) return;
      const announcement = await announcementOf(told, all);
      if (announcement === null) return;
      const messages = messagesOf(told, announcement, all);
      if (messages.length === 0) return;
      await outbox.add(messages, clock.now());
      await jobs.enqueue(...messages.map((message) => wake(message, message.id)));
    },
    options,
  );
}

export interface WebhookSweepOptions extends Omit<SweepDependencies, 'everyMs'> {
  readonly outbox: Pick<WebhookOutbox, 'due' | 'tidy'>;
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly clock: Clock;
  /** Milliseconds between looks; default half a minute. */
  readonly everyMs?: number;
}

/** Wakes queues whose job was lost, with Redis for example, and removes what was settled long ago. */
export function createWebhookSweep({
  outbox,
  jobs,
  clock,
  everyMs = 30_000,
  ...sweeping
}: WebhookSweepOptions): Reactor {
  const pages = {
    async page(_limit: number, after: WebhookQueue | null) {
      if (after !== null) return [];
      await outbox.tidy(clock.now());
      return outbox.due(clock.now());
    },
    each: (queue: WebhookQueue) =>
      jobs.enqueue(
        wake(queue, `${queue.relyingPartyId} ${queue.address} ${clock.now().getTime()}`),
      ),
  };
  return createSweep(`${webhookJob}Sweep`, pages, { ...sweeping, everyMs });
}
