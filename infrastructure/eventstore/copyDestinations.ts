import { randomUUID } from 'node:crypto';
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import type { EventLog, LoggedEvent } from '../../application/ports/eventLog.ts';
import { RevisionConflict, Unavailable } from '../../application/ports/faults.ts';
import type { CopyDestination } from '../../application/log/ports/logCopy.ts';
import { createPool } from '../postgres/pool.ts';
import { int8Array, textArray, uuidArray } from './binaryArrays.ts';
import { connectToLeader, type LeaderConnection } from './eventStoreDb/connection.ts';
import { parseConnectionString } from './eventStoreDb/connectionString.ts';
import { appendFailure, CallFailed, callFailure, missingRight } from './eventStoreDb/outcomes.ts';
import { batchAppendRequest } from './eventStoreDb/protocol.ts';
import { isUniqueViolation, orUnavailable } from './postgresErrors.ts';

/** Unacknowledged appends; enough to hide the round trip. */
const IN_FLIGHT = 512;
/** Timeouts for connecting, and for silence while appends are unacknowledged, ms. */
const CONNECT_MS = 2000;
const SILENCE_MS = 10_000;

export interface ClosableDestination extends CopyDestination {
  close(): Promise<void>;
}

/**
 * Appends over a connection of its own, because the server keeps the order of one connection. Nothing is resent, since
 * it would arrive after its successors: the first failure closes the connection, and the copy resumes from the
 * destination's head.
 *
 * @param inFlight unacknowledged appends; 1 keeps the order even when the server refuses one and accepts the next
 */
export function createEventStoreDbDestination(
  log: EventLog,
  url: string,
  inFlight = IN_FLIGHT,
): ClosableDestination {
  const settings = parseConnectionString(url);
  let connection: LeaderConnection | undefined;

  function giveUp(failure: CallFailed): void {
    connection?.close(failure);
    connection = undefined;
  }

  return {
    subscribe: (options) => log.subscribe(options),
    head: () => log.head(),
    async appendCopies(events) {
      try {
        connection ??= await connectToLeader(settings, { hint: null, left: null }, CONNECT_MS);
        await appendInOrder(connection, runsOf(events), inFlight);
      } catch (error) {
        const failure = callFailure(error);
        giveUp(failure);
        throw portError(failure);
      }
    },
    close() {
      giveUp(new CallFailed('Cancelled', 'stopped'));
      return Promise.resolve();
    },
  };
}

type Run = readonly LoggedEvent[];

/** Resolves when all are stored. @throws CallFailed with the first failure */
function appendInOrder(
  connection: LeaderConnection,
  runs: readonly Run[],
  inFlight: number,
): Promise<void> {
  const call = connection.batchAppend();
  let next = 0;
  let answered = 0;
  let isFull = false;
  let silence: NodeJS.Timeout | undefined;

  return new Promise((resolve, reject) => {
    function fail(failure: CallFailed): void {
      clearTimeout(silence);
      next = runs.length;
      call.cancel();
      reject(failure);
    }

    function listen(): void {
      clearTimeout(silence);
      silence = setTimeout(() => fail(appendFailure('Timeout')), SILENCE_MS);
    }

    function send(): void {
      while (next < runs.length && next - answered < inFlight && !isFull) {
        isFull = !call.write(requestOf(runs[next] ?? []));
        next += 1;
      }
    }

    call.on('data', (response: Streams.BatchAppendResp) => {
      const error = response.getError();
      if (error !== undefined) {
        fail(appendFailure(error.getMessage()));
        return;
      }
      answered += 1;
      if (answered === runs.length) {
        clearTimeout(silence);
        call.end();
        resolve();
        return;
      }
      listen();
      send();
    });
    call.on('drain', () => {
      isFull = false;
      send();
    });
    call.on('error', (error) => fail(callFailure(error)));
    call.on('end', () => fail(appendFailure('Cancelled')));
    listen();
    send();
  });
}

function requestOf(run: Run): Streams.BatchAppendReq {
  const { stream = '', revision = 0n } = run[0] ?? {};
  const expected = revision === 0n ? 'none' : revision - 1n;
  return batchAppendRequest(randomUUID(), stream, run, expected);
}

/** Translates the failure into the port's errors. */
function portError(failure: CallFailed): Error {
  switch (failure.action) {
    case 'conflict':
      return new RevisionConflict('of a copied event');
    case 'refused':
    case 'invalidPosition':
      return new Error('The destination refused the events.', { cause: failure });
    case 'denied':
      return new Unavailable('eventStore', missingRight('write', 'the streams', failure));
    default:
      return new Unavailable('eventStore', failure);
  }
}

/** Consecutive events of one stream, in the order given. */
function runsOf(events: readonly LoggedEvent[]): readonly Run[] {
  const runs: LoggedEvent[][] = [];
  for (const event of events) {
    const run = runs.at(-1);
    if (run?.[0]?.stream === event.stream) run.push(event);
    else runs.push([event]);
  }
  return runs;
}

/** Events per statement. */
const BATCH = 1000;

/** Appends to the log in PostgreSQL: a batch may hold many events of one stream and is one transaction. */
export function createPostgresDestination(log: EventLog, url: string): ClosableDestination {
  const pool = createPool({ url, max: 1, applicationName: 'tamga log copy' });
  const insert = (events: readonly LoggedEvent[]) =>
    pool.query(
      'select append_copies($1::text[], $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::text[])',
      [
        textArray(events.map(({ stream }) => stream)),
        int8Array(events.map(({ revision }) => revision)),
        uuidArray(events.map(({ id }) => id)),
        textArray(events.map(({ type }) => type)),
        textArray(events.map(({ data }) => data)),
        textArray(events.map(({ metadata }) => metadata)),
      ],
    );
  return {
    subscribe: (options) => log.subscribe(options),
    head: () => log.head(),
    async appendCopies(events) {
      for (let first = 0; first < events.length; first += BATCH) {
        await stored(insert(events.slice(first, first + BATCH)));
      }
    },
    close: () => pool.end(),
  };
}

/** @throws RevisionConflict when some of the events exist already */
async function stored(inserting: Promise<unknown>): Promise<void> {
  try {
    await orUnavailable(inserting);
  } catch (error) {
    throw isUniqueViolation(error) ? new RevisionConflict('of a copied event') : error;
  }
}
