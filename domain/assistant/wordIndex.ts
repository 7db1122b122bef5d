import { mostMatches } from './ranking.ts';
import { createVocabulary } from './vocabulary.ts';
import { comparable, type SearchedText, stemsOf, wordsOf } from './wordSearch.ts';

/** Index of articles' texts by their words. */
export interface WordIndex<Text extends SearchedText> {
  /** Replaces the texts of an article, in their order; none removes it. */
  set(articleId: string, texts: readonly Text[]): void;
  /**
   * Texts matching a question, best first, one of each article, {@link mostMatches} at most: those that contain it
   * whole, or else those that contain a stem of it. A stem scores by its rarity, and triple in heading and body. Ties
   * are ordered by the stem that matched, then by article id.
   */
  search(question: string): readonly Text[];
}

/** A text, its index in the article, and its score. */
interface Place<Text> {
  readonly text: Text;
  readonly number: number;
  score: number;
  /** Index of the first stem that matched. */
  stem: number;
}

/** Words of a question used to find candidates for the whole question. */
const wordsTried = 3;

/**
 * A stem lies within one word of a text, so searching the vocabulary suffices; candidates for the whole question are
 * found by its longest words.
 */
export function createWordIndex<Text extends SearchedText>(): WordIndex<Text> {
  const articles = new Map<string, readonly number[]>();
  const vocabulary = createVocabulary();
  /** By slot number; slots of removed texts are reused. */
  const places: Place<Text>[] = [];
  const free: number[] = [];
  let count = 0;

  function put(text: Text, number: number): number {
    const slot = free.pop() ?? places.length;
    places[slot] = { text, number, score: 0, stem: 0 };
    vocabulary.add(slot, text);
    return slot;
  }

  function placeOf(slot: number): Place<Text> {
    return places[slot] as Place<Text>;
  }

  /** Slots of texts that may contain the whole question; null: any. */
  function candidates(question: string): readonly number[] | null {
    const words = wordsOf(question).sort((one, other) => other.length - one.length);
    let fewest: readonly number[] | null = null;
    for (const word of words.slice(0, wordsTried)) {
      const holders = vocabulary.holding(word);
      if (holders === null) break;
      if (fewest === null || holders.slots.length < fewest.length) fewest = holders.slots;
    }
    return fewest;
  }

  function holdingWhole(question: string): Found {
    const found = { slots: [] as number[], weights: [] as number[] };
    for (const slot of candidates(question) ?? [...articles.values()].flat()) {
      const { body, heading } = placeOf(slot).text;
      const weight = (body.includes(question) ? 1 : 0) + (heading.includes(question) ? 2 : 0);
      if (weight === 0) continue;
      found.slots.push(slot);
      found.weights.push(weight);
    }
    return found;
  }

  function best(stems: readonly Found[]): readonly Text[] {
    const found: Place<Text>[] = [];
    for (const [stem, { slots, weights }] of stems.entries()) {
      const rarity = Math.log(1 + count / (1 + slots.length));
      slots.forEach((slot, index) => {
        const place = placeOf(slot);
        if (place.score === 0) {
          place.stem = stem;
          found.push(place);
        }
        place.score += rarity * (weights[index] ?? 0);
      });
    }
    const leading = leaders(found).map(({ text }) => text);
    for (const place of found) place.score = 0;
    return leading;
  }

  return {
    set(articleId, texts) {
      const before = articles.get(articleId) ?? [];
      for (const slot of before) {
        vocabulary.remove(slot, placeOf(slot).text);
        free.push(slot);
      }
      const slots = texts.map(put);
      if (slots.length > 0) articles.set(articleId, slots);
      else articles.delete(articleId);
      count += slots.length - before.length;
    },
    search(question) {
      const whole = comparable(question).trim();
      if (whole === '') return [];
      const found = holdingWhole(whole);
      if (found.slots.length > 0) return best([found]);
      return best(stemsOf(question).flatMap((stem) => vocabulary.holding(stem) ?? []));
    },
  };
}

/** Matching texts with the score of each: 1 in the body, 2 in the heading. */
interface Found {
  readonly slots: readonly number[];
  readonly weights: ArrayLike<number>;
}

/** The best text of each article, without sorting all. */
function leaders<Text extends SearchedText>(found: readonly Place<Text>[]) {
  const leading: Place<Text>[] = [];
  for (const each of found) {
    const last = leading.at(mostMatches - 1);
    if (last !== undefined && compare(each, last) > 0) continue;
    const same = leading.findIndex(({ text }) => text.articleId === each.text.articleId);
    const other = leading[same];
    if (other === undefined) leading.push(each);
    else if (compare(each, other) < 0) leading[same] = each;
    leading.sort(compare).splice(mostMatches);
  }
  return leading;
}

/** Order by score, best first. */
function compare<Text extends SearchedText>(one: Place<Text>, other: Place<Text>): number {
  if (one.score !== other.score) return other.score - one.score;
  if (one.stem !== other.stem) return one.stem - other.stem;
  const [mine, theirs] = [one.text.articleId, other.text.articleId];
  if (mine !== theirs) return mine < theirs ? -1 : 1;
  return one.number - other.number;
}
