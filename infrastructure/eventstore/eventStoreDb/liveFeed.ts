import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import type { LoggedEvent } from '../../../application/ports/eventLog.ts';
import type { CommittedBatch } from '../catchUpSubscription.ts';
import type { LeaderConnection } from './connection.ts';
import { callFailure } from './outcomes.ts';
import {
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
}

/** Creates the feed; reads nothing before `connected`. */
export function createLiveFeed({ takeOwn, wants, offer }: LiveFeedOptions): LiveFeed {
  let passed: bigint | null = null;
  const isOurs = (stream: string) => !stream.startsWith('$') && wants(stream);

  function connected(connection: LeaderConnection): void {
    passed ??= connection.end ?? 0n;
    // Includes the server's own events, undecoded, so that the feed always knows the head of the log.
    const call = connection.read(subscriptionRequest(passed === 0n ? null : passed, null), null);
    let arrived: Streams.ReadResp.ReadEvent.RecordedEvent[] = [];
    let isScheduled = false;

    function handOver(): void {
      isScheduled = false;
      if (!connection.isOpen()) return;
      const records = arrived;
      arrived = [];
      const previous = passed ?? 0n;
      const events: LoggedEvent[] = [];
      let last = previous;
      for (const record of records) {
        const position = positionOf(record);
        if (position <= last) continue;
        last = position;
        const own = takeOwn(record);
        if (own !== undefined) events.push(own);
        else if (isOurs(streamOf(record)) && !isTombstone(record)) {
          events.push(toLoggedEvent(record));
        }
      }
      if (last === previous) return;
      passed = last;
      offer({ previous, last, events });
    }

    call.on('data', (response: Streams.ReadResp) => {
      const record = response.getEvent()?.getEvent();
      if (record === undefined) return;
      arrived.push(record);
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(handOver);
    });
    call.on('error', (error) => connection.close(callFailure(error)));
    call.on('end', () => connection.close(callFailure(new Error('The server ended the feed.'))));
  }

  return { connected, passed: () => passed };
}
