import type {
  Appended,
  EncodedEvent,
  EventLog,
  ExpectedRevision,
  LoggedEvent,
} from '../../../application/ports/eventLog.ts';
import { RevisionConflict } from '../../../application/ports/faults.ts';
import { categoryOf } from '../../../domain/shared/streams.ts';
import {
  type CatchUpSubscription,
  createCatchUpSubscription,
} from '../../../infrastructure/eventstore/catchUpSubscription.ts';
import { assertAppendable } from '../../../infrastructure/eventstore/groupCommitWriter.ts';
import { windowPages } from '../../../infrastructure/eventstore/windowPages.ts';
import type { WindowReader } from '../../../infrastructure/eventstore/catchUp.ts';

/** An event log in this process's memory: for tests and stubs. */
export function createMemoryEventLog(): EventLog {
  /** Position n is at index n - 1. */
  const log: LoggedEvent[] = [];
  const streams = new Map<string, LoggedEvent[]>();
  const byId = new Map<string, LoggedEvent>();
  const subscriptions = new Set<CatchUpSubscription>();
  const head = () => BigInt(log.length);

  function appendNow(
    name: string,
    events: readonly EncodedEvent[],
    expected: ExpectedRevision,
  ): Appended {
    assertAppendable(name, events);
    const stream = streams.get(name) ?? [];
    const isAt = expected === 'none' ? -1n : expected;
    const earlier = earlierAppend(name, events, expected);
    if (earlier !== undefined) return earlier;
    if (isAt !== 'any' && isAt !== BigInt(stream.length) - 1n) throw new RevisionConflict(name);
    if (events.some(({ id }) => byId.has(id))) throw new Error('An event id was used before.');

    const previous = head();
    const logged = events.map((event, index) => ({
      id: event.id,
      type: event.type,
      data: event.data,
      metadata: event.metadata,
      stream: name,
      revision: BigInt(stream.length + index),
      position: previous + BigInt(index) + 1n,
    }));
    for (const event of logged) {
      log.push(event);
      stream.push(event);
      byId.set(event.id, event);
    }
    streams.set(name, stream);
    const last = head();
    for (const subscription of subscriptions)
      subscription.offer({ previous, last, events: logged });
    return { revision: BigInt(stream.length) - 1n, position: last };
  }

  /** Result of an earlier append with the same event ids. */
  function earlierAppend(
    name: string,
    events: readonly EncodedEvent[],
    expected: ExpectedRevision,
  ): Appended | undefined {
    const found = events.map(({ id }) => byId.get(id));
    const first = found[0];
    const last = found.at(-1);
    if (first === undefined || last === undefined) return undefined;
    const start = expected === 'any' ? first.revision : expected === 'none' ? 0n : expected + 1n;
    const isSame = found.every(
      (event, index) => event?.stream === name && event.revision === start + BigInt(index),
    );
    return isSame ? { revision: last.revision, position: last.position } : undefined;
  }

  return {
    append: (stream, events, expected) =>
      new Promise((resolve, reject) => {
        // Answers asynchronously, as durable logs do.
        setImmediate(() => {
          try {
            resolve(appendNow(stream, events, expected));
          } catch (error) {
            reject(error instanceof Error ? error : new Error('append failed', { cause: error }));
          }
        });
      }),
    async *read(stream, from = 0n) {
      await Promise.resolve();
      for (let at = Number(from); ; at += 1) {
        const event = streams.get(stream)?.[at];
        if (event === undefined) return;
        yield event;
      }
    },
    subscribe(options) {
      const reader: WindowReader = {
        readWindow: (after, upTo, categories) => {
          const window = log.slice(Number(after), Number(upTo));
          return Promise.resolve(
            categories === undefined
              ? window
              : window.filter(({ stream }) => categories.includes(categoryOf(stream))),
          );
        },
      };
      const subscription = createCatchUpSubscription(
        {
          head: () => Promise.resolve(head()),
          readFrom: (...range) => windowPages(reader, ...range),
        },
        options,
        { onEnd: () => subscriptions.delete(subscription) },
      );
      subscriptions.add(subscription);
      return subscription;
    },
    head: () => Promise.resolve(log.length === 0 ? null : head()),
  };
}
