import type { EventStore, NewEvent, RecordedEvent } from '../../../application/ports/eventStore.ts';
import type { ExpectedRevision } from '../../../application/ports/eventLog.ts';
import { RevisionConflict } from '../../../application/ports/faults.ts';
import { categoryOf } from '../../../domain/shared/streams.ts';

/** A log in memory, which a test reads and stands in the way of. */
export interface MemoryEventStore extends EventStore {
  /** All of them; a test may put another in the place of one. */
  readonly events: RecordedEvent[];
  /** Runs before each append, which fails as this does: outages, and what others do at that moment. */
  beforeAppend: (stream: string, added: readonly NewEvent[]) => unknown;
  /** Events of one stream so far. */
  eventsOf(stream: string): readonly RecordedEvent[];
}

/** An {@link EventStore} that keeps decoded events in an array. */
export function createMemoryEventStore(): MemoryEventStore {
  const events: RecordedEvent[] = [];
  const revisions = new Map<string, bigint>();
  const arrivals = new Set<() => void>();

  function append(stream: string, added: readonly NewEvent[], expected: ExpectedRevision) {
    const last = revisions.get(stream) ?? 'none';
    if (expected !== 'any' && expected !== last) throw new RevisionConflict(stream);
    let revision = revisions.get(stream) ?? -1n;
    for (const event of added) {
      revision += 1n;
      events.push({ ...event, stream, revision, position: BigInt(events.length + 1) });
    }
    revisions.set(stream, revision);
    for (const arrived of arrivals) arrived();
    return { revision, position: BigInt(events.length) };
  }

  const store: MemoryEventStore = {
    events,
    beforeAppend: () => undefined,
    eventsOf: (stream) => events.filter((event) => event.stream === stream),
    append: async (stream, added, expected) => {
      await store.beforeAppend(stream, added);
      return append(stream, added, expected);
    },
    async *read(stream, from = 0n) {
      await Promise.resolve();
      yield* store.eventsOf(stream).filter(({ revision }) => revision >= from);
    },
    subscribe({ after, categories, wants, maxBatch = 1000, onBatch, onCaughtUp, onStopped }) {
      let next = Number(after ?? 0n);
      let stopping = false;
      let arrived: () => void = () => undefined;

      async function deliver() {
        while (!stopping) {
          const batch = events.slice(next, next + maxBatch);
          if (batch.length === 0) {
            onCaughtUp?.();
            await new Promise<void>((resolve) => {
              arrived = resolve;
              arrivals.add(arrived);
            });
            arrivals.delete(arrived);
            continue;
          }
          const wanted = batch.filter(
            ({ stream }) =>
              (categories?.includes(categoryOf(stream)) ?? true) && (wants?.(stream) ?? true),
          );
          await onBatch(wanted, BigInt(next + batch.length));
          next += batch.length;
        }
      }

      const delivering = Promise.resolve()
        .then(deliver)
        .catch((cause: unknown) => onStopped?.(cause));
      return {
        async stop() {
          stopping = true;
          arrived();
          await delivering;
        },
      };
    },
    head: () => Promise.resolve(events.length === 0 ? null : BigInt(events.length)),
  };
  return store;
}
