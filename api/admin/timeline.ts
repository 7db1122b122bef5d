import type { RecordedEvent } from '../../application/ports/eventStore.ts';

/** What happened to something, when, and who did it. */
export function timelineOf(events: readonly RecordedEvent[]) {
  return events.map(({ event, metadata: { time, actor } }) => ({
    type: event.type,
    time,
    actor: { kind: actor.kind, id: actor.id },
  }));
}
