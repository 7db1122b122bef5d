import type { AccessEvent } from '../../domain/access/events.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/eventStore.ts';
import type { Randomness } from '../ports/randomness.ts';

/** Records facts that guard nothing, for the audit. Resolved means durable. */
export type AccessLog = (event: AccessEvent, context: CommandContext) => Promise<void>;

/** Appends to the stream of the day, at whatever revision it is. */
export function createAccessLog({
  eventStore,
  clock,
  randomness,
}: {
  readonly eventStore: Pick<EventStore, 'append'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
}): AccessLog {
  return async (event, context) => {
    const time = clock.now().toISOString();
    await eventStore.append(
      streamOf('access', time.slice(0, 10)),
      [{ id: randomness.uuid(), event, metadata: { time, ...context } }],
      'any',
    );
  };
}
