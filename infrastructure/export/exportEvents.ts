import { eventBatches } from '../../application/ports/eventBatches.ts';
import type { EventLog } from '../../application/ports/eventLog.ts';
import { eventLine } from './eventLines.ts';

/**
 * The log as it is now, as lines ({@link eventLine}) in pieces of many.
 *
 * @param after only events after this position; null: all
 * @throws Unavailable(eventStore) before the first piece
 */
export async function* exportEvents(
  log: Pick<EventLog, 'subscribe' | 'head'>,
  after: bigint | null,
): AsyncGenerator<Uint8Array> {
  for await (const batch of eventBatches(log, after)) {
    yield Buffer.from(`${batch.map(eventLine).join('\n')}\n`);
  }
}
