import type { EncodedEvent } from '../../application/ports/eventLog.ts';

/** @throws TypeError for an append without events or stream name: a programming error */
export function assertAppendable(stream: string, events: readonly EncodedEvent[]): void {
  if (stream === '') throw new TypeError('A stream needs a name.');
  if (events.length === 0) throw new TypeError('An append needs at least one event.');
}
