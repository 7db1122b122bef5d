import { randomUUID } from 'node:crypto';
import { Unavailable } from '../../../application/ports/faults.ts';
import { connectWithin, FAILOVER_MS, type LeaderConnection } from './connection.ts';
import { parseConnectionString } from './connectionString.ts';
import { CallFailed, callFailure, missingRight } from './outcomes.ts';
import { tombstoneRequest } from './protocol.ts';

/** Unanswered deletions: enough for the server to write them together. */
const IN_FLIGHT = 128;
/** Longer than the server takes to give a write up, ms. */
const TIMEOUT_MS = 10_000;

/** Deletes streams for good, over a connection of its own. */
export interface StreamDeletion {
  /**
   * Deletes each stream unless it was deleted before. An election is waited for.
   *
   * @param ends revisions of the last events, by stream
   * @throws Unavailable; Error when a stream goes on after that revision
   */
  remove(ends: ReadonlyMap<string, bigint>): Promise<void>;
  close(): void;
}

/**
 * Connects as a user that may delete, which the server is asked first.
 *
 * @param url connection string
 * @throws Unavailable when no leader answers, or the right is missing
 */
export async function openStreamDeletion(url: string): Promise<StreamDeletion> {
  const settings = parseConnectionString(url);
  const connect = () => reported('$all', () => connectWithin(settings, FAILOVER_MS));
  let connection = await connect();
  const close = () => connection.close(new CallFailed('Cancelled', 'done'));

  /** Takes out of `left` what is deleted. */
  async function removeAll(left: Map<string, bigint>): Promise<void> {
    // Shared: each stream is taken by one of them.
    const streams = [...left].values();
    const removeSome = async () => {
      for (const [stream, revision] of streams) {
        await removeOne(connection, stream, revision);
        left.delete(stream);
      }
    };
    const removals = Array.from({ length: IN_FLIGHT }, removeSome);
    // The others end before a connection is replaced.
    await Promise.allSettled(removals);
    await Promise.all(removals);
  }

  try {
    await assertMayDelete(connection);
  } catch (error) {
    close();
    throw error;
  }
  return {
    async remove(ends) {
      const left = new Map(ends);
      for (let before = Infinity; left.size > 0;) {
        try {
          await removeAll(left);
        } catch (error) {
          if (!isElection(error) || left.size >= before) throw error;
          before = left.size;
          close();
          connection = await connect();
        }
      }
    },
    close,
  };
}

/** True of what ends with the next leader. */
function isElection(error: unknown): boolean {
  if (!(error instanceof Unavailable && error.cause instanceof CallFailed)) return false;
  return error.cause.action === 'reconnect' || error.cause.action === 'repeat';
}

async function removeOne(
  connection: LeaderConnection,
  stream: string,
  last: bigint,
): Promise<void> {
  const outcome = await tombstone(connection, stream, last);
  if (outcome !== 'WrongExpectedVersion') return;
  throw new Error(`${stream} has events after ${last}, so it was not deleted.`);
}

/** Asks for the deletion of a stream that does not exist. */
async function assertMayDelete(connection: LeaderConnection): Promise<void> {
  await tombstone(connection, `session-${randomUUID()}`, 0n);
}

/** @returns why nothing was deleted; null: it was. @throws Unavailable */
async function tombstone(connection: LeaderConnection, stream: string, last: bigint) {
  try {
    await connection.tombstone(tombstoneRequest(stream, last), TIMEOUT_MS);
    return null;
  } catch (error) {
    const { outcome } = callFailure(error);
    if (outcome === 'StreamDeleted' || outcome === 'WrongExpectedVersion') return outcome;
    throw unavailable(stream, error);
  }
}

async function reported<Result>(what: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw unavailable(what, error);
  }
}

function unavailable(what: string, error: unknown): Unavailable {
  const failure = callFailure(error);
  const right = what === '$all' ? 'read' : 'delete';
  const cause = failure.action === 'denied' ? missingRight(right, what, failure) : failure;
  return new Unavailable('eventStore', cause);
}
