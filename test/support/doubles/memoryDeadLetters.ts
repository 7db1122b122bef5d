import type {
  DeadLetter,
  DeadLetterList,
} from '../../../application/reactors/ports/deadLetters.ts';

/** A {@link DeadLetterList} in an array. */
export function createMemoryDeadLetters(): DeadLetterList & { readonly letters: DeadLetter[] } {
  const letters: DeadLetter[] = [];
  return {
    letters,
    add(letter) {
      letters.push(letter);
      return Promise.resolve();
    },
    list: () => Promise.resolve(letters.map((letter) => ({ ...letter, since: new Date() }))),
    counts: () =>
      Promise.resolve(
        new Map(
          letters.map(({ reactor }) => [
            reactor,
            letters.filter((each) => each.reactor === reactor).length,
          ]),
        ),
      ),
    remove({ reactor, eventId }) {
      const at = letters.findIndex((each) => each.reactor === reactor && each.eventId === eventId);
      if (at >= 0) letters.splice(at, 1);
      return Promise.resolve();
    },
  };
}
