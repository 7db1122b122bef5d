import type { RecordedEvent } from '../../application/ports/eventStore.ts';

/** History of an aggregate: events with time and actor. */
export function timelineOf(events: readonly RecordedEvent[]) {
  return events.map(({ event, metadata: { time, actor } }) => ({
    type: event.type,
    time,
    actor: { kind: actor.kind, id: actor.id },
  }));
}
