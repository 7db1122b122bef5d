import { eventBatches } from '../../application/ports/eventBatches.ts';
import type { EventLog } from '../../application/ports/eventLog.ts';
import { eventLine } from './eventLines.ts';

type Log = Pick<EventLog, 'subscribe' | 'head'>;

/**
 * Exports the current log as lines ({@link eventLine}) in chunks. Resolves with the first chunk.
 *
 * @param after only events after this position; null: all
 * @throws Unavailable(eventStore)
 */
export async function exportEvents(
  log: Log,
  after: bigint | null,
): Promise<AsyncIterable<Uint8Array>> {
  const pieces = piecesOf(log, after);
  const first = await pieces.next();
  return startingWith(first, pieces);
}

async function* startingWith<Piece>(
  first: IteratorResult<Piece, void>,
  rest: AsyncGenerator<Piece, void>,
): AsyncGenerator<Piece, void> {
  try {
    if (first.done === true) return;
    yield first.value;
    yield* rest;
  } finally {
    await rest.return();
  }
}

async function* piecesOf(log: Log, after: bigint | null): AsyncGenerator<Uint8Array, void> {
  for await (const batch of eventBatches(log, after)) {
    yield Buffer.from(`${batch.map(eventLine).join('\n')}\n`);
  }
}
