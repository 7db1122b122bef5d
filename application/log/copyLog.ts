import { eventLeafHash } from '../../domain/merkle/hashTree.ts';
import { createFrontier } from '../../domain/merkle/frontier.ts';
import { eventBatches } from '../ports/eventBatches.ts';
import type { EventLog, LoggedEvent } from '../ports/eventLog.ts';
import { Overloaded, RevisionConflict, Unavailable } from '../ports/faults.ts';
import { backOff, pause } from '../ports/follow.ts';
import type { CopyDestination, MovedEvent } from './ports/logCopy.ts';

/** The destination has events that the source lacks: it must be another log, or emptied. The message says where. */
export class NotACopy extends Error {
  override readonly name = 'NotACopy';
}

/** Common prefix of two logs, as far as compared. */
export interface Copied {
  /** Events equal in both logs, in the same order. */
  readonly records: number;
  /** Merkle tree roots (RFC 9162) over them as each log holds them, leaves of version 2. */
  readonly sourceRoot: Buffer;
  readonly destinationRoot: Buffer;
  /** Position in the source of the last of them; null when there is none. */
  readonly position: bigint | null;
  /** The one event of the destination behind the source's last, which a copy may have; null: there is none. */
  readonly surplus: LoggedEvent | null;
}

export interface LogCopyOptions {
  readonly source: Pick<EventLog, 'subscribe' | 'head'>;
  readonly destination: CopyDestination;
  /** Accepts an event of the destination after the last one of the source. Default: accepts none. */
  readonly isSurplus?: (event: LoggedEvent) => boolean;
  /** Called with events found equal, in order, each once. */
  readonly onEqual?: (events: readonly MovedEvent[]) => Promise<void>;
  /** Events appended before they are read back; default 5000. */
  readonly step?: number;
  /** Called when one of the logs did not answer; the copy retries. */
  readonly onInterrupted?: (cause: unknown) => void;
  /** Ends `catchUp` between two steps. */
  readonly signal?: AbortSignal;
}

/** A copy of a log in progress. */
export interface LogCopy {
  /**
   * Copies the missing events, up to the source's head meanwhile, and reads both logs to compare them event by event,
   * byte for byte.
   *
   * @throws NotACopy when the destination holds anything else
   * @throws Unavailable when the outage of a log lasts
   */
  catchUp(): Promise<Copied>;
}

/** Attempts without progress before an outage is reported. */
const TRIES = 8;

/**
 * The state of the copy is derived from the destination itself: it is compared with the source from the beginning, and
 * events after its last one are appended, compared, and so on. An interrupted copy can therefore resume anywhere, and
 * only events read back count as copied.
 */
export function createLogCopy(options: LogCopyOptions): LogCopy {
  const { source, destination, onEqual, onInterrupted, step = 5000 } = options;
  const { isSurplus = () => false, signal = new AbortController().signal } = options;
  const [sourceTree, destinationTree] = [createFrontier(), createFrontier()];
  let sourceAt: bigint | null = null;
  let destinationAt: bigint | null = null;
  let surplus: LoggedEvent | null = null;

  /** Compares up to the end of the destination. */
  async function compare(): Promise<void> {
    const originals = taking(() => eventBatches(source, sourceAt));
    try {
      for await (const copies of eventBatches(destination, destinationAt)) {
        signal.throwIfAborted();
        const events = await originals.take(copies.length);
        await found(events, copies.slice(0, events.length));
        for (const copy of copies.slice(events.length)) behindTheEnd(copy);
      }
    } finally {
      await originals.close();
    }
  }

  async function found(events: readonly LoggedEvent[], copies: readonly LoggedEvent[]) {
    const first = sourceTree.size;
    const equal = copies.map((copy, at): MovedEvent => {
      const event = events[at] ?? copy;
      const [leaf, copied] = [eventLeafHash(event), eventLeafHash(copy)];
      const index = first + at;
      if (!leaf.equals(copied)) {
        throw isSurplus(copy) ? wentOn(event) : new NotACopy(differenceOf(index, event, copy));
      }
      sourceTree.append(leaf);
      destinationTree.append(copied);
      return { index, id: copy.id, source: event.position, destination: copy.position };
    });
    const last = equal.at(-1);
    if (last === undefined) return;
    sourceAt = last.source;
    destinationAt = last.destination;
    await onEqual?.(equal);
  }

  function behindTheEnd(copy: LoggedEvent): void {
    if (surplus?.id === copy.id) return;
    if (surplus === null && isSurplus(copy)) surplus = copy;
    else {
      throw new NotACopy(
        `The destination has more events than the source: after ${sourceTree.size} equal events comes ${nameOf(copy)}, which the source does not have.`,
      );
    }
  }

  /** Appends the next events. @returns false when there are none */
  async function append(): Promise<boolean> {
    const originals = taking(() => eventBatches(source, sourceAt));
    try {
      const events = await originals.take(step);
      const [first] = events;
      if (first === undefined) return false;
      if (surplus !== null) throw wentOn(first);
      await destination.appendCopies(events);
      return true;
    } finally {
      await originals.close();
    }
  }

  async function advance(): Promise<void> {
    do {
      await compare();
      signal.throwIfAborted();
    } while (await append());
  }

  return {
    async catchUp() {
      for (let tries = 1; ; tries += 1) {
        const before = sourceTree.size;
        try {
          await advance();
          return {
            records: sourceTree.size,
            sourceRoot: sourceTree.root(),
            destinationRoot: destinationTree.root(),
            position: sourceAt,
            surplus,
          };
        } catch (error) {
          if (!isPassing(error)) throw error;
          if (sourceTree.size > before) tries = 1;
          if (tries >= TRIES) throw error;
          onInterrupted?.(error);
          await pause(backOff(tries), signal);
        }
      }
    },
  };
}

/** Retryable errors: an outage, or a concurrent append of the same events. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof Unavailable || error instanceof Overloaded || error instanceof RevisionConflict
  );
}

/** Takes up to the requested number of events from batches. Reads nothing before the first request. */
function taking(open: () => AsyncGenerator<readonly LoggedEvent[]>) {
  let batches: AsyncGenerator<readonly LoggedEvent[]> | undefined;
  let left: readonly LoggedEvent[] = [];
  return {
    async take(count: number): Promise<readonly LoggedEvent[]> {
      batches ??= open();
      const taken = [left];
      let size = left.length;
      while (size < count) {
        const next = await batches.next();
        if (next.done === true) break;
        taken.push(next.value);
        size += next.value.length;
      }
      const events = taken.flat();
      left = events.slice(count);
      return events.slice(0, count);
    },
    async close(): Promise<void> {
      await batches?.return(undefined);
    },
  };
}

function wentOn(event: LoggedEvent): NotACopy {
  return new NotACopy(
    `The source got new events after the copy was finished: ${nameOf(event)} is not in the destination.`,
  );
}

function differenceOf(index: number, event: LoggedEvent, copy: LoggedEvent): string {
  const at = `Event ${index} differs in the destination`;
  if (event.id !== copy.id) {
    return `${at}: it has ${nameOf(copy)} instead of ${nameOf(event)}. The destination contains another log, or this log in another order. Name an empty destination. If a copy with failures filled this one, copy with --one-by-one.`;
  }
  const differing = (['stream', 'revision', 'type', 'data', 'metadata'] as const).filter(
    (part) => event[part] !== copy[part],
  );
  return `${at}: ${nameOf(copy)} differs from the source in ${differing.join(', ')}.`;
}

function nameOf({ stream, revision, id, position }: LoggedEvent): string {
  return `${stream}/${revision} (position ${position}, id ${id})`;
}
