import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import type { LoggedEvent } from '../../../application/ports/eventLog.ts';
import type { CommittedBatch } from '../catchUp.ts';
import type { LeaderConnection } from './connection.ts';
import { callFailure } from './outcomes.ts';
import {
  checkpointOf,
  isTombstone,
  positionOf,
  streamOf,
  subscriptionRequest,
  toLoggedEvent,
} from './protocol.ts';

export interface LiveFeedOptions {
  /** The event as this process appended it, if it did: its content need not be decoded again. */
  readonly takeOwn: (record: Streams.ReadResp.ReadEvent.RecordedEvent) => LoggedEvent | undefined;
  /** False for a stream that no subscription selects: its events are skipped undecoded. */
  readonly wants: (stream: string) => boolean;
  /** Hands over appended events of all processes, in order, without duplicates or gaps. */
  readonly offer: (batch: CommittedBatch) => void;
}

/** Live feed of the log: one subscription to $all per process, fanned out to its subscribers. */
export interface LiveFeed {
  /** Continues on this connection from the last position. */
  connected(connection: LeaderConnection): void;
  /** Position up to which everything was handed over or preceded the feed; `null`: not started. */
  passed(): bigint | null;
  /** Notes that the log holds nothing between `passed` and this position that the feed hands over. */
  foundNothingUpTo(position: bigint): void;
}

/** Records the server looks at between two checkpoints of the feed, its own ones among them. */
const CHECKPOINT_EVERY = 100;

/** Creates the feed; reads nothing before `connected`. */
export function createLiveFeed({ takeOwn, wants, offer }: LiveFeedOptions): LiveFeed {
  let passed: bigint | null = null;

  function foundNothingUpTo(position: bigint): void {
    const previous = passed ?? 0n;
    if (position <= previous) return;
    passed = position;
    offer({ previous, last: position, events: [] });
  }

  function connected(connection: LeaderConnection): void {
    passed ??= connection.end ?? 0n;
    // The server leaves its own events out, which may be many megabytes, and tells how far it has come.
    const call = connection.read(
      subscriptionRequest(passed === 0n ? null : passed, 'notSystem', CHECKPOINT_EVERY),
      null,
    );
    let arrived: Streams.ReadResp.ReadEvent.RecordedEvent[] = [];
    let checkpoint: bigint | null = null;
    let isScheduled = false;

    function handOver(): void {
      isScheduled = false;
      if (!connection.isOpen()) return;
      const records = arrived;
      arrived = [];
      const previous = passed ?? 0n;
      const events: LoggedEvent[] = [];
      let last = previous;
      const upTo = checkpoint ?? previous;
      checkpoint = null;
      for (const record of records) {
        const position = positionOf(record);
        if (position <= last) continue;
        last = position;
        const own = takeOwn(record);
        if (own !== undefined) events.push(own);
        else if (wants(streamOf(record)) && !isTombstone(record)) {
          events.push(toLoggedEvent(record));
        }
      }
      if (upTo > last) last = upTo;
      if (last === previous) return;
      passed = last;
      offer({ previous, last, events });
    }

    call.on('data', (response: Streams.ReadResp) => {
      const record = response.getEvent()?.getEvent();
      const reached = record === undefined ? checkpointOf(response) : null;
      if (record === undefined && reached === null) return;
      if (record !== undefined) arrived.push(record);
      else checkpoint = reached;
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(handOver);
    });
    call.on('error', (error) => connection.close(callFailure(error)));
    call.on('end', () => connection.close(callFailure(new Error('The server ended the feed.'))));
  }

  return { connected, passed: () => passed, foundNothingUpTo };
}
