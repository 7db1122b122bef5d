import { randomUUID } from 'node:crypto';
import { Unavailable } from '../../../application/ports/faults.ts';
import { connectToLeader, type LeaderConnection } from './connection.ts';
import { parseConnectionString } from './connectionString.ts';
import { CallFailed, callFailure, missingRight } from './outcomes.ts';
import { tombstoneRequest } from './protocol.ts';

/** Unanswered deletions: enough for the server to write them together. */
const IN_FLIGHT = 128;
const CONNECT_MS = 2000;
/** Longer than the server takes to give a write up, ms. */
const TIMEOUT_MS = 10_000;

/** Deletes streams for good, over a connection of its own. */
export interface StreamDeletion {
  /**
   * Deletes each stream unless it was deleted before.
   *
   * @param ends revisions of the last events, by stream
   * @throws Unavailable; Error when a stream goes on after that revision
   */
  remove(ends: ReadonlyMap<string, bigint>): Promise<void>;
  close(): void;
}

/**
 * Connects as a user that may delete, which the server is asked first. Nothing is retried: who deletes does so again.
 *
 * @param url connection string
 * @throws Unavailable when no leader answers, or the right is missing
 */
export async function openStreamDeletion(url: string): Promise<StreamDeletion> {
  const connection = await reported('$all', () =>
    connectToLeader(parseConnectionString(url), { hint: null, left: null }, CONNECT_MS),
  );
  const close = () => connection.close(new CallFailed('Cancelled', 'done'));
  try {
    await assertMayDelete(connection);
  } catch (error) {
    close();
    throw error;
  }
  return {
    async remove(ends) {
      // Shared: each stream is taken by one of them.
      const left = ends.entries();
      const removeSome = async () => {
        for (const [stream, revision] of left) await removeOne(connection, stream, revision);
      };
      await Promise.all(Array.from({ length: IN_FLIGHT }, removeSome));
    },
    close,
  };
}

async function removeOne(
  connection: LeaderConnection,
  stream: string,
  last: bigint,
): Promise<void> {
  const outcome = await tombstone(connection, stream, last);
  if (outcome !== 'WrongExpectedVersion') return;
  throw new Error(`${stream} goes on after event ${last}: it was not deleted.`);
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
