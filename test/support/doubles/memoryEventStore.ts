import type { EventStore, NewEvent, RecordedEvent } from '../../../application/ports/eventStore.ts';
import { RevisionConflict } from '../../../application/ports/faults.ts';
import { categoryOf } from '../../../domain/shared/streams.ts';

/** An {@link EventStore} that keeps decoded events in an array: for tests of what follows the log. */
export function createMemoryEventStore(): EventStore & { readonly events: RecordedEvent[] } {
  const events: RecordedEvent[] = [];
  const revisions = new Map<string, bigint>();
  const arrivals = new Set<() => void>();

  function append(stream: string, added: readonly NewEvent[]) {
    for (const event of added) {
      const revision = (revisions.get(stream) ?? -1n) + 1n;
      revisions.set(stream, revision);
      events.push({ ...event, stream, revision, position: BigInt(events.length + 1) });
    }
    for (const arrived of arrivals) arrived();
    const position = BigInt(events.length);
    return { revision: revisions.get(stream) ?? 0n, position };
  }

  return {
    events,
    append(stream, added, expected) {
      const revision = revisions.get(stream);
      const wanted = expected === 'any' ? revision : expected === 'none' ? undefined : expected;
      if (wanted !== revision) return Promise.reject(new RevisionConflict(stream));
      return Promise.resolve(append(stream, added));
    },
    async *read(stream, from = 0n) {
      for (const event of await Promise.resolve(events)) {
        if (event.stream === stream && event.revision >= from) yield event;
      }
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
}
