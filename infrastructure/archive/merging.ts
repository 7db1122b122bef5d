import type { ArchivedEvents } from '../../application/archive/ports/archive.ts';
import type { LoggedEvent, SubscriptionOptions } from '../../application/ports/eventLog.ts';

type Delivery = Pick<SubscriptionOptions<LoggedEvent>, 'after' | 'onBatch' | 'wants' | 'maxBatch'>;

/** Addition of archived events to the batches of a subscription that is catching up. */
export interface Merging {
  /** Delivers a batch of the store, with the archived events before and among it. */
  onBatch(events: readonly LoggedEvent[], position: bigint): Promise<void>;
  /** Ends the addition: events that are committed from now on are not archived yet. */
  end(): void;
}

/**
 * Merges the archive into a subscription: archived events come at their positions, marked `archived`; one that is in
 * both, while it is being moved, comes once.
 */
export function createMerging(archive: ArchivedEvents, options: Delivery): Merging {
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

  async function merge(events: readonly LoggedEvent[], position: bigint): Promise<void> {
    let left = events;
    // Read after the batch of the store: events missing in it are in the archive by then.
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
  }

  return {
    end: () => {
      isCatchingUp = false;
    },
    onBatch: merge,
  };
}

/** Both in the order of their positions; an event in both as the store has it, and marked as the archive marks it. */
function merged(
  archived: readonly LoggedEvent[],
  present: readonly LoggedEvent[],
): readonly LoggedEvent[] {
  if (present.length === 0) return archived;
  const stored = new Map(present.map((event) => [event.position, event]));
  const both = archived.map((event) => {
    const same = stored.get(event.position);
    stored.delete(event.position);
    if (same === undefined) return event;
    return event.archived === true ? { ...same, archived: event.archived } : same;
  });
  return [...both, ...stored.values()].sort((one, other) =>
    one.position < other.position ? -1 : 1,
  );
}
