import type { DomainEvent } from '../domain/shared/decider.ts';
import type { StreamCategory } from '../domain/events.ts';
import { identifierOf } from '../domain/shared/streams.ts';
import { createLogFollower, type LogFollower } from './followLog.ts';
import type { AggregateCache } from './handleCommand.ts';
import type { EventStore, RecordedEvent } from './ports/eventStore.ts';

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
