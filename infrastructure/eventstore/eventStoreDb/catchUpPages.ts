import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import type { LoggedEvent } from '../../../application/ports/eventLog.ts';
import type { LogPage } from '../catchUp.ts';
import { createSignal } from '../catchUpSubscription.ts';
import type { LeaderConnection, ReadCall } from './connection.ts';
import { callFailure } from './outcomes.ts';
import {
  checkpointOf,
  type Filter,
  isTombstone,
  positionOf,
  subscriptionRequest,
  toLoggedEvent,
} from './protocol.ts';

/** Records the server scans between two checkpoints. */
const SEARCH_WINDOW = 1000;
/** Largest page, events. */
const PAGE = 1000;

/**
 * Reads the log after a position, filtered by the server, until the server reports the end.
 *
 * @param categories all but the server's own events when undefined
 * @param upTo position that this connection is known to have reached: passed when the server has caught up
 * @throws CallFailed
 */
export async function* catchUpPages(
  connection: LeaderConnection,
  after: bigint,
  categories: readonly string[] | undefined,
  upTo: bigint,
): AsyncGenerator<LogPage, void> {
  const call = connection.read(
    subscriptionRequest(after === 0n ? null : after, filterFor(categories), SEARCH_WINDOW),
    null,
  );
  const signal = createSignal();
  let failure: unknown;
  const failWith = (error: unknown) => {
    failure ??= error;
    signal.raise();
  };
  call.on('readable', signal.raise);
  call.on('error', failWith);
  call.on('end', () => failWith(new Error('The server ended the subscription.')));
  let cursor = after;
  try {
    for (;;) {
      const page = takePage(call, cursor);
      if (page.isCaughtUp) {
        yield { events: page.events, upTo: max(page.cursor, upTo) };
        return;
      }
      if (page.events.length > 0 || page.cursor > cursor) {
        cursor = page.cursor;
        yield { events: page.events, upTo: cursor };
      } else if (failure !== undefined) {
        throw callFailure(failure);
      } else {
        await signal.wait();
      }
    }
  } finally {
    call.cancel();
  }
}

function filterFor(categories: readonly string[] | undefined): Filter {
  if (categories === undefined) return 'notSystem';
  return { prefixes: categories.map((category) => `${category}-`) };
}

/** Takes the events received, at most a page, and the position the server has reported. */
function takePage(call: ReadCall, from: bigint) {
  const events: LoggedEvent[] = [];
  let cursor = from;
  let isCaughtUp = false;
  while (events.length < PAGE && !isCaughtUp) {
    const response = call.read() as Streams.ReadResp | null;
    if (response === null) break;
    const record = response.getEvent()?.getEvent();
    if (record !== undefined && !isTombstone(record)) events.push(toLoggedEvent(record));
    const reached = record === undefined ? checkpointOf(response) : positionOf(record);
    if (reached !== null) cursor = max(cursor, reached);
    isCaughtUp = response.hasCaughtUp();
  }
  return { events, cursor, isCaughtUp };
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
