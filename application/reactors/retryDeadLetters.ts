import type { EventStore, RecordedEvent } from '../ports/eventStore.ts';
import { errorClass, Unavailable } from '../ports/faults.ts';
import type { DeadLetter, DeadLetterList } from './ports/deadLetters.ts';
import type { Reactor } from './reactor.ts';

export interface RetryDeadLettersDependencies {
  readonly deadLetters: DeadLetterList;
  readonly reactors: readonly Reactor[];
  readonly eventStore: Pick<EventStore, 'read'>;
}

/**
 * Retries dead letters; those that succeed leave the list.
 *
 * @param reactor default: all
 * @throws Unavailable; those not retried stay on the list
 */
export async function retryDeadLetters(
  { deadLetters, reactors, eventStore }: RetryDeadLettersDependencies,
  reactor?: string,
): Promise<{ readonly succeeded: number; readonly failed: number }> {
  const letters = (await deadLetters.list()).filter(
    (each) => reactor === undefined || each.reactor === reactor,
  );
  let succeeded = 0;
  for (const letter of letters) {
    try {
      const react = reactors.find((each) => each.status().name === letter.reactor)?.retry;
      if (react === undefined) throw new Error(`There is no reactor ${letter.reactor}.`);
      await react(await readLetter(eventStore, letter));
    } catch (error) {
      if (error instanceof Unavailable) throw error;
      await deadLetters.add({ ...letter, error: errorClass(error), attempts: 1 });
      continue;
    }
    await deadLetters.remove(letter);
    succeeded += 1;
  }
  return { succeeded, failed: letters.length - succeeded };
}

async function readLetter(
  eventStore: Pick<EventStore, 'read'>,
  { stream, revision, eventId }: DeadLetter,
): Promise<RecordedEvent> {
  for await (const recorded of eventStore.read(stream, revision)) return recorded;
  throw new Error(`The log does not contain event ${eventId}.`);
}
