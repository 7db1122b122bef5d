import type { DomainEvent } from '../domain/shared/decider.ts';
import type { StreamCategory } from '../domain/events.ts';
import { identifierOf } from '../domain/shared/streams.ts';
import type { AggregateCache } from './handleCommand.ts';
import type { EventStore, RecordedEvent } from './ports/eventStore.ts';
import { backOff, follow, pause, unlessAborted } from './ports/follow.ts';

export interface FollowAggregateDependencies<State, Event extends DomainEvent> {
  readonly eventStore: EventStore;
  readonly category: StreamCategory;
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
  /** Called when following began anew: events may have been passed over, and the cache was cleared. */
  readonly onBegunAnew?: () => void;
  /** Called once when following failed; it is retried. */
  readonly onFailure: (cause: unknown) => void;
}

/** Cache that is cleared when following begins anew. */
export interface ClearableCache<State> extends AggregateCache<State> {
  clear(): void;
}

/** Keeps the cache of one kind of aggregate up to date with the log, over all writers. */
export interface AggregateFollower {
  /** Resolves when every later append will be seen. @throws Unavailable(eventStore) */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** True while the cache follows the log closely. */
  isFollowing(): boolean;
}

/** Follows the log from its current head: one read per batch, instead of a read per requested aggregate. */
export function createAggregateFollower<State, Event extends DomainEvent>(
  dependencies: FollowAggregateDependencies<State, Event>,
): AggregateFollower {
  const { eventStore, category, decider, cache, reload, onChange, onBegunAnew, onFailure } =
    dependencies;
  let stopping = new AbortController();
  let running: Promise<void> | undefined;
  let following = false;

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

  /** Position and cache may be ahead of a log that lost its end, or the next event cannot be taken: both are given up. */
  async function beginAnew(signal: AbortSignal): Promise<bigint | null> {
    const head = await unlessAborted(eventStore.head(), signal);
    // Only now: what is cached from here on was read at this head, or after it.
    cache.clear();
    following = true;
    onBegunAnew?.();
    return head ?? null;
  }

  async function run(from: bigint | null, signal: AbortSignal): Promise<void> {
    let position = from;
    const onBatch = async (events: readonly RecordedEvent[]) => {
      await take(events);
      tries = 0;
    };
    const onCaughtUp = () => {
      tries = 0;
    };
    let tries = 0;
    while (!signal.aborted) {
      try {
        if (!following) position = await beginAnew(signal);
        await follow(
          eventStore,
          { after: position, categories: [category], onBatch, onCaughtUp },
          signal,
        );
      } catch (error) {
        following = false;
        if (tries === 0) onFailure(error);
        tries += 1;
        await pause(backOff(tries), signal);
      }
    }
    following = false;
  }

  return {
    async start() {
      const head = await eventStore.head();
      stopping = new AbortController();
      following = true;
      running = run(head, stopping.signal);
    },
    async stop() {
      stopping.abort();
      await running;
      running = undefined;
    },
    isFollowing: () => following,
  };
}
