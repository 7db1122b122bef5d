import { isEnding } from '../../domain/session/events.ts';
import type { LoggedEvent } from '../ports/eventLog.ts';

type Batches = AsyncIterable<readonly LoggedEvent[]>;

/**
 * Sessions that did not begin and end in the same range, in memory for the sessions open at a time: their events stay
 * where they are, so that a stream is in one place.
 *
 * @param sessions events of sessions, in order
 */
export async function incompleteSessions(sessions: Batches): Promise<ReadonlySet<string>> {
  const open = new Set<string>();
  const incomplete = new Set<string>();
  for await (const batch of sessions) {
    for (const { stream, revision, type } of batch) {
      if (revision === 0n) open.add(stream);
      if (!open.has(stream)) incomplete.add(stream);
      else if (isEnding(type)) open.delete(stream);
    }
  }
  return new Set([...open, ...incomplete]);
}

/** The events of the other sessions. */
export async function* without(
  incomplete: ReadonlySet<string>,
  sessions: Batches,
): AsyncGenerator<readonly LoggedEvent[]> {
  for await (const batch of sessions) yield batch.filter(({ stream }) => !incomplete.has(stream));
}
