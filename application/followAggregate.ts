import type { DomainEvent } from '../domain/shared/decider.ts';
import type { StreamCategory } from '../domain/events.ts';
import { identifierOf } from '../domain/shared/streams.ts';
import type { AggregateCache } from './handleCommand.ts';
import type { EventStore, EventSubscriptionOptions, RecordedEvent } from './ports/eventStore.ts';
import { LogLostEvents } from './ports/faults.ts';
import { backOff, follow, pause, unlessAborted } from './ports/follow.ts';

export interface LogFollowerOptions extends Pick<
  EventSubscriptionOptions,
  'wants' | 'withoutPersonalData' | 'keepUndecodable'
> {
  readonly eventStore: EventStore;
  readonly categories: readonly StreamCategory[];
  /** @param events one or more @param next position up to which these events complete the log */
  readonly take: (events: readonly RecordedEvent[], next: bigint) => Promise<void> | void;
  /**
   * Called before a restart at the log's head, after every failure: events may have been missed. Absent: following
   * resumes where it was interrupted, unless the log lost events.
   */
  readonly onBegunAnew?: () => void;
  /** Called once when following failed; it is retried. */
  readonly onFailure: (cause: unknown) => void;
}

/** Follows the log in this process, over all writers. */
export interface LogFollower {
  /** Resolves when every later append will be seen. @throws Unavailable(eventStore) */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** True while it follows the log closely. */
  isFollowing(): boolean;
  /** Position up to which it has followed; null: none. */
  position(): bigint | null;
}

/** Interval of reports of a position without events, ms: a report for each skipped commit would cost more. */
const REPORT_EVERY_MS = 100;

/** Follows the log from its head at the start. */
export function createLogFollower({
  eventStore,
  categories,
  wants,
  withoutPersonalData = false,
  keepUndecodable = false,
  take,
  onBegunAnew,
  onFailure,
}: LogFollowerOptions): LogFollower {
  let stopping = new AbortController();
  let running: Promise<void> | undefined;
  let following = false;
  let position: bigint | null = null;

  async function beginAnew(signal: AbortSignal): Promise<void> {
    position = (await unlessAborted(eventStore.head(), signal)) ?? null;
    following = true;
    onBegunAnew?.();
  }

  async function run(signal: AbortSignal): Promise<void> {
    let tries = 0;
    let isAnew = false;
    const onBatch = async (events: readonly RecordedEvent[], next: bigint) => {
      // Events of others only advance the position.
      if (events.length > 0) await take(events, next);
      position = next;
      tries = 0;
      following = true;
    };
    const onCaughtUp = () => {
      tries = 0;
      following = true;
    };
    const kept = {
      reportEveryMs: REPORT_EVERY_MS,
      withoutPersonalData,
      keepUndecodable,
      ...(wants && { wants }),
    };
    while (!signal.aborted) {
      try {
        if (isAnew) await beginAnew(signal);
        isAnew = false;
        const options = { after: position, categories, ...kept, onBatch, onCaughtUp };
        await follow(eventStore, options, signal);
      } catch (error) {
        following = false;
        // The position may be ahead of a log that lost its end.
        isAnew ||= onBegunAnew !== undefined || error instanceof LogLostEvents;
        if (tries === 0) onFailure(error);
        tries += 1;
        await pause(backOff(tries), signal);
      }
    }
    following = false;
  }

  return {
    async start() {
      position = await eventStore.head();
      stopping = new AbortController();
      following = true;
      running = run(stopping.signal);
    },
    async stop() {
      stopping.abort();
      await running;
      running = undefined;
    },
    isFollowing: () => following,
    position: () => position,
  };
}

export interface FollowAggregateDependencies<State, Event extends DomainEvent> {
  readonly eventStore: EventStore;
  readonly category: StreamCategory;
  /** Selects the streams to follow; default: all. */
  readonly wants?: (stream: string) => boolean;
  readonly decider: {
    readonly initial: State;
    readonly evolve: (state: State, event: Event) => State;
  };
  /** Cache of the aggregate. */
  readonly cache: ClearableCache<State>;
  /** Reads an aggregate from the log into the cache. */
  readonly reload: (id: string) => Promise<unknown>;
  /** Called when the cached aggregates of these streams were updated. */
  readonly onChange?: (streams: ReadonlySet<string>) => void;
  /** Called when following restarted: events may have been missed, and the cache was cleared. */
  readonly onBegunAnew?: () => void;
  /** Called once when following failed; it is retried. */
  readonly onFailure: (cause: unknown) => void;
}

/** Cache, cleared when following restarts. */
export interface ClearableCache<State> extends AggregateCache<State> {
  clear(): void;
}

/** Keeps the cache of one kind of aggregate up to date with the log, over all writers. */
export type AggregateFollower = LogFollower;

/** Follows the log from its current head: one read per batch, instead of a read per requested aggregate. */
export function createAggregateFollower<State, Event extends DomainEvent>(
  dependencies: FollowAggregateDependencies<State, Event>,
): AggregateFollower {
  const { eventStore, category, wants, decider, cache, reload, onChange } = dependencies;
  const { onBegunAnew, onFailure } = dependencies;

  /** @returns false when the preceding events are not cached */
  function remember({ stream, event, revision }: RecordedEvent): boolean {
    const known = cache.get(stream);
    if (known !== undefined && (known.revision ?? -1n) >= revision) return true;
    if (revision !== (known?.revision ?? -1n) + 1n) return false;
    const before = known?.state ?? decider.initial;
    cache.set(stream, { state: decider.evolve(before, event as Event), revision });
    return true;
  }

  async function take(events: readonly RecordedEvent[]): Promise<void> {
    const unknown = new Set<string>();
    for (const event of events) {
      if (!remember(event)) unknown.add(identifierOf(event.stream));
    }
    // Reloaded even if unused: a concurrent read from before this event must not be cached after it.
    await Promise.all(Array.from(unknown, reload));
    onChange?.(new Set(events.map(({ stream }) => stream)));
  }

  return createLogFollower({
    eventStore,
    categories: [category],
    ...(wants && { wants }),
    take,
    // The cache may be ahead of a log that lost its end, or the next event cannot be taken. Emptied only when the head was
    // read: whatever is cached from here on was read at this head, or after it.
    onBegunAnew: () => {
      cache.clear();
      onBegunAnew?.();
    },
    onFailure,
  });
}
