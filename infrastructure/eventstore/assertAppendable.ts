import type { EncodedEvent } from '../../application/ports/eventLog.ts';

/** @throws TypeError when there is nothing to append or the stream has no name: a mistake of the caller */
export function assertAppendable(stream: string, events: readonly EncodedEvent[]): void {
  if (stream === '') throw new TypeError('A stream needs a name.');
  if (events.length === 0) throw new TypeError('There is no event to append.');
}
