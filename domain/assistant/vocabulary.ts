import { type SearchedText, wordsOf } from './wordSearch.ts';

/** Words of numbered texts. */
export interface Vocabulary {
  /** @param slot number of the text */
  add(slot: number, text: SearchedText): void;
  /** @param text as it was added */
  remove(slot: number, text: SearchedText): void;
  /**
   * Texts that contain a part of a word.
   *
   * @param letters letters and digits only
   * @returns null for fewer than three, which are not indexed
   */
  holding(letters: string): Holders | null;
}

/** Texts that hold a part of a word. */
export interface Holders {
  /** Numbers of the texts. */
  readonly slots: readonly number[];
  /** Place of the word in each text: 1 in the body, 2 in the heading, 3 in both. */
  readonly weights: Uint8Array;
}

interface Word {
  readonly letters: string;
  /** Numbers of the texts with the word, doubled: even for a word in the body, plus one for one in the heading. */
  readonly postings: number[];
}

/** Words are indexed by trigrams; shorter parts cannot be searched. */
const gramLetters = 3;

export function createVocabulary(): Vocabulary {
  const words = new Map<string, Word>();
  const byGram = new Map<string, Word[]>();
  /** Marks of each text while counting; zeroed in between. */
  let marks = new Uint8Array(64);

  function note(letters: string, posting: number): void {
    const word = words.get(letters);
    if (word === undefined) learn({ letters, postings: [posting] });
    else word.postings.push(posting);
  }

  function learn(word: Word): void {
    words.set(word.letters, word);
    for (const gram of gramsOf(word.letters)) {
      const known = byGram.get(gram);
      if (known === undefined) byGram.set(gram, [word]);
      else known.push(word);
    }
  }

  function drop(letters: string, posting: number): void {
    const word = words.get(letters);
    if (word === undefined) return;
    takeOut(word.postings, posting);
    if (word.postings.length === 0) forget(word);
  }

  function forget(word: Word): void {
    words.delete(word.letters);
    for (const gram of gramsOf(word.letters)) {
      const known = byGram.get(gram) ?? [];
      takeOut(known, word);
      if (known.length === 0) byGram.delete(gram);
    }
  }

  function wordsWith(letters: string): readonly Word[] {
    let fewest: readonly Word[] | null = null;
    for (const gram of gramsOf(letters)) {
      const known = byGram.get(gram) ?? [];
      if (fewest === null || known.length < fewest.length) fewest = known;
    }
    return (fewest ?? []).filter((word) => word.letters.includes(letters));
  }

  return {
    add(slot, { body, heading }) {
      for (const letters of indexed(body)) note(letters, slot * 2);
      for (const letters of indexed(heading)) note(letters, slot * 2 + 1);
      if (slot >= marks.length) marks = new Uint8Array(slot * 2);
    },
    remove(slot, { body, heading }) {
      for (const letters of indexed(body)) drop(letters, slot * 2);
      for (const letters of indexed(heading)) drop(letters, slot * 2 + 1);
    },
    holding(letters) {
      if (letters.length < gramLetters) return null;
      const slots: number[] = [];
      for (const { postings } of wordsWith(letters)) {
        for (const posting of postings) {
          const slot = posting >> 1;
          if (marks[slot] === 0) slots.push(slot);
          marks[slot] = (marks[slot] ?? 0) | (1 + (posting & 1));
        }
      }
      const weights = Uint8Array.from(slots, (slot) => marks[slot] ?? 0);
      for (const slot of slots) marks[slot] = 0;
      return { slots, weights };
    },
  };
}

function indexed(text: string): ReadonlySet<string> {
  return new Set(wordsOf(text).filter(({ length }) => length >= gramLetters));
}

function gramsOf(letters: string): ReadonlySet<string> {
  const grams = new Set<string>();
  for (let at = 0; at + gramLetters <= letters.length; at += 1) {
    grams.add(letters.slice(at, at + gramLetters));
  }
  return grams;
}

function takeOut<Item>(items: Item[], item: Item): void {
  const at = items.indexOf(item);
  if (at >= 0) items.splice(at, 1);
}
