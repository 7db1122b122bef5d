import { categoryOf } from '../../domain/shared/streams.ts';
import type { Clock } from '../ports/clock.ts';
import type { Jobs } from '../reactors/ports/jobs.ts';
import {
  createBatchReactor,
  type Reactor,
  type ReactorDependencies,
  type RecordedOf,
} from '../reactors/reactor.ts';
import { isSignalled, type Signalled, signalledTypes } from '../signals/signalsOf.ts';
import { createSweep, type SweepDependencies } from '../reactors/sweep.ts';
import {
  type Announcement,
  type AnnouncementDependencies,
  createAnnouncements,
  isTold,
  messagesOf,
  type Told,
  toldCategories,
  toldTypes,
} from './announcements.ts';
import { webhookJob, wake } from './deliverWebhooks.ts';
import { createEndings, type EndingDependencies } from './endings.ts';
import type {
  Channel,
  Subscriber,
  Subscribers,
  WebhookMessage,
  WebhookOutbox,
  WebhookQueue,
} from './ports/webhooks.ts';

export interface TellingOptions extends ReactorDependencies, AnnouncementDependencies {
  readonly subscribers: Subscribers;
  readonly outbox: Pick<WebhookOutbox, 'add'>;
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly clock: Clock;
  /** Security events for OpenID Connect clients, of which their relying parties are told alike. */
  readonly signalsOf: (events: readonly Signalled[]) => Promise<readonly WebhookMessage[]>;
}

type Followed = RecordedOf<(typeof toldTypes)[number] | (typeof signalledTypes)[number]>;

/** Age from which an event is no news any more, ms: the first start after an upgrade follows the log from its beginning. */
const NEWS_MS = 7 * 86_400_000;
/** Sessions looked up at once. */
const AT_ONCE = 50;

/**
 * Keeps a message for each relying party that an event concerns, and has it delivered. One reactor follows all kinds of
 * events, so that what is told of one subject keeps the order of the log, and a relying party is known to have met a
 * citizen before an end of the citizen's is looked at.
 */
export function createTelling(options: TellingOptions): Reactor {
  const { subscribers, outbox, jobs, clock } = options;
  const announcementOf = createAnnouncements(options);

  /** Sessions first, side by side: they say whom a relying party met. */
  async function announcementsOf(told: readonly Told[], all: readonly Subscriber[]) {
    const found = new Map<Told, Announcement | null>();
    const find = async (each: Told) => found.set(each, await announcementOf(each, all));
    const sessions = told.filter(({ stream }) => categoryOf(stream) === 'session');
    for (let from = 0; from < sessions.length; from += AT_ONCE) {
      await Promise.all(sessions.slice(from, from + AT_ONCE).map(find));
    }
    for (const each of told) if (!found.has(each)) await find(each);
    return found;
  }

  async function announced(events: readonly Followed[]) {
    const told = events.filter(isTold);
    const all = told.length === 0 ? [] : await subscribers.all();
    if (all.length === 0) return [];
    const announcements = await announcementsOf(told, all);
    return told.flatMap((each) => {
      const announcement = announcements.get(each) ?? null;
      return announcement === null ? [] : messagesOf(each, announcement, all);
    });
  }

  async function react(events: readonly Followed[]): Promise<void> {
    const oldest = clock.now().getTime() - NEWS_MS;
    const news = events.filter(({ metadata: { time } }) => Date.parse(time) > oldest);
    const messages = [
      ...(await announced(news)),
      ...(await options.signalsOf(news.filter(isSignalled))),
    ];
    if (messages.length === 0) return;
    await outbox.add(messages, clock.now());
    const queues = new Map(
      messages.map((each) => [`${each.relyingPartyId} ${each.address}`, each]),
    );
    await jobs.enqueue(...Array.from(queues.values(), (each) => wake(each, each.id)));
  }

  const concern = {
    name: 'tellRelyingParties',
    category: [...toldCategories, 'citizen', 'oidcAccess'] as const,
    types: [...new Set([...toldTypes, ...signalledTypes])],
  };
  return createBatchReactor(concern, react, options);
}

export interface WebhookSweepOptions
  extends Omit<SweepDependencies, 'everyMs'>, EndingDependencies {
  readonly outbox: Pick<WebhookOutbox, 'due' | 'end' | 'keep' | 'overdue' | 'tidy'>;
  readonly channels: readonly Pick<Channel, 'queues'>[];
  readonly jobs: Pick<Jobs, 'enqueue'>;
  /** Milliseconds between looks; default half a minute. */
  readonly everyMs?: number;
}

/**
 * Wakes queues whose job was lost, with Redis for example, gives up what waits for addresses that have not answered for a
 * day, removes what was settled long ago, and forgets addresses that are registered no more.
 */
export function createWebhookSweep(options: WebhookSweepOptions): Reactor {
  const { outbox, channels, jobs, clock, everyMs = 30_000 } = options;
  const endings = createEndings(options);
  const registered = async () => (await Promise.all(channels.map((each) => each.queues()))).flat();
  const pages = {
    async page(_limit: number, after: WebhookQueue | null) {
      if (after !== null) return [];
      await outbox.tidy(clock.now());
      await outbox.keep(await registered());
      await endings.overdue();
      return outbox.due(clock.now());
    },
    each: (queue: WebhookQueue) =>
      jobs.enqueue(
        wake(queue, `${queue.relyingPartyId} ${queue.address} ${clock.now().getTime()}`),
      ),
  };
  return createSweep(`${webhookJob}Sweep`, pages, { ...options, everyMs });
}
