import { categoryOf } from '../../domain/shared/streams.ts';
import type { EventLog, LoggedEvent, SubscriptionOptions } from '../ports/eventLog.ts';
import { archivedCategory, type ArchivedEvents } from './ports/archive.ts';

/**
 * The log together with its archive: archived streams are read from the archive, and a reader from an earlier position
 * receives their events at their positions, marked `archived`. An event in both, while it is being moved, is delivered
 * once.
 *
 * Live subscribers never touch the archive: only events that all followers of the log have passed are archived.
 */
export function createArchivedEventLog(log: EventLog, archive: ArchivedEvents): EventLog {
  return {
    append: (stream, events, expected) => log.append(stream, events, expected),
    head: () => log.head(),
    async *read(stream, from = 0n) {
      let isInLog = false;
      for await (const event of log.read(stream, from)) {
        isInLog = true;
        yield event;
      }
      if (isInLog || categoryOf(stream) !== archivedCategory) return;
      for (const event of await archive.ofStream(stream)) if (event.revision >= from) yield event;
    },
    subscribe(options) {
      const { categories } = options;
      if (categories?.includes(archivedCategory) === false) return log.subscribe(options);
      const merging = createMerging(archive, options);
      const subscription = log.subscribe({
        ...options,
        onBatch: merging.onBatch,
        onCaughtUp: () => {
          merging.end();
          options.onCaughtUp?.();
        },
      });
      return {
        stop: () => {
          merging.end();
          return subscription.stop();
        },
      };
    },
  };
}

/** Adds archived events to the batches of a subscription that is catching up. */
function createMerging(archive: ArchivedEvents, options: SubscriptionOptions<LoggedEvent>) {
  const { onBatch, wants, maxBatch = Infinity } = options;
  let isCatchingUp = true;
  const isOver = () => !isCatchingUp;
  let delivered = options.after ?? 0n;

  async function deliver(events: readonly LoggedEvent[], position: bigint): Promise<void> {
    for (let start = 0; start === 0 || start < events.length; start += maxBatch) {
      const chunk = events.slice(start, start + maxBatch);
      const isLast = start + maxBatch >= events.length;
      await onBatch(chunk, isLast ? position : (chunk.at(-1)?.position ?? position));
    }
    delivered = position;
  }

  return {
    end: () => {
      isCatchingUp = false;
    },
    async onBatch(events: readonly LoggedEvent[], position: bigint): Promise<void> {
      if (isOver()) return onBatch(events, position);
      let left = events;
      // Read after the batch of the log: events missing in it are in the archive by then.
      for await (const archived of archive.between(delivered, position)) {
        const reached = archived.at(-1)?.position;
        if (isOver()) return;
        if (reached === undefined) continue;
        const present = left.filter((event) => event.position <= reached);
        left = left.slice(present.length);
        const wanted =
          wants === undefined ? archived : archived.filter((event) => wants(event.stream));
        await deliver(merged(wanted, present), reached);
      }
      await deliver(left, position);
    },
  };
}

/** Both in the order of their positions; an event in both as the log has it, and marked as the archive marks it. */
function merged(
  archived: readonly LoggedEvent[],
  present: readonly LoggedEvent[],
): readonly LoggedEvent[] {
  if (present.length === 0) return archived;
  const inLog = new Map(present.map((event) => [event.position, event]));
  const both = archived.map((event) => {
    const same = inLog.get(event.position);
    inLog.delete(event.position);
    if (same === undefined) return event;
    return event.archived === true ? { ...same, archived: event.archived } : same;
  });
  return [...both, ...inLog.values()].sort((one, other) =>
    one.position < other.position ? -1 : 1,
  );
}
