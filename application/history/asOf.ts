import type { DomainEvent } from '../../domain/shared/decider.ts';
import { identifierOf } from '../../domain/shared/streams.ts';
import type { EventStore, RecordedEvent } from '../ports/eventStore.ts';

/**
 * What had happened to one thing at a moment: its stream up to there, oldest first; nothing when it was unknown then. A
 * stream's times never run backwards; where two clocks differ, the first later event ends it, so that what is answered is
 * a state there once was.
 *
 * @param at null: everything that has happened until now
 */
export async function eventsAsOf(
  eventStore: Pick<EventStore, 'read'>,
  stream: string,
  at: Date | null,
): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const recorded of eventStore.read(stream)) {
    if (at !== null && new Date(recorded.metadata.time) > at) break;
    events.push(recorded);
  }
  return events;
}

/**
 * Rebuilds a view from events of one stream with the fold that keeps its read model, so that the past and the present are
 * shown alike.
 *
 * @returns undefined when there was nothing to show
 */
export function foldAsOf<View, Event extends DomainEvent>(
  events: readonly RecordedEvent[],
  evolve: (
    view: View | undefined,
    event: Event,
    id: string,
    recorded: RecordedEvent,
  ) => View | undefined,
): View | undefined {
  let view: View | undefined;
  for (const recorded of events) {
    view = evolve(view, recorded.event as Event, identifierOf(recorded.stream), recorded);
  }
  return view;
}
