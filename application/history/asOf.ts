import type { DomainEvent } from '../../domain/shared/decider.ts';
import { identifierOf } from '../../domain/shared/streams.ts';
import type { EventStore, RecordedEvent } from '../ports/eventStore.ts';

/**
 * Events of one stream up to a time, oldest first; none when it did not exist yet. Times within a stream never
 * decrease; should two clocks differ, the first later event ends the read, so that the result is a state that existed.
 *
 * @param at null: everything until now
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
 * Rebuilds a view from events of one stream with its read model's fold, so that past and present look alike.
 *
 * @returns undefined when the view did not exist
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
