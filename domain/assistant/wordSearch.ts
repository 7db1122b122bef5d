import { mostMatches } from './ranking.ts';

/** A text as it is searched: lower case, composed (a Cyrillic й is one character). */
export interface SearchedText {
  /** The article it is of: one text of each is found, the best. */
  readonly articleId: string;
  /** Title and tags. */
  readonly heading: string;
  readonly body: string;
}

/** Letters a word has at least to be searched for. */
const shortestWord = 4;
const wordsSought = 3;
const stemLetters = 6;

/** A text as both questions and passages are compared. */
export function comparable(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/**
 * The stems a question is searched by when nothing holds it whole: its three longest words of four letters or more, cut to
 * six letters, where Mongolian and English endings begin (contract §12).
 */
export function stemsOf(question: string): readonly string[] {
  const words = comparable(question)
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => Array.from(word))
    .filter(({ length }) => length >= shortestWord);
  const longest = words.sort((one, other) => other.length - one.length);
  const stems = longest.map((letters) => letters.slice(0, stemLetters).join(''));
  return [...new Set(stems)].slice(0, wordsSought);
}

/**
 * The texts a question is found in by its words, best first, {@link mostMatches} at most: those that hold it whole, or else
 * those that hold a stem of it. A stem counts by how few texts hold it, and more in a heading.
 */
export function searchByWords<Text extends SearchedText>(
  texts: readonly Text[],
  question: string,
): readonly Text[] {
  const whole = comparable(question).trim();
  if (whole === '') return [];
  const holding = texts.filter(
    ({ heading, body }) => heading.includes(whole) || body.includes(whole),
  );
  if (holding.length > 0) return ranked(holding, [whole]);
  return ranked(texts, stemsOf(question));
}

function ranked<Text extends SearchedText>(
  texts: readonly Text[],
  stems: readonly string[],
): readonly Text[] {
  const scores = new Map<Text, number>();
  for (const stem of stems) {
    const holding = texts.filter(
      ({ heading, body }) => heading.includes(stem) || body.includes(stem),
    );
    const rarity = Math.log(1 + texts.length / (1 + holding.length));
    for (const text of holding) {
      const weight = (text.heading.includes(stem) ? 2 : 0) + (text.body.includes(stem) ? 1 : 0);
      scores.set(text, (scores.get(text) ?? 0) + rarity * weight);
    }
  }
  // Sorting is stable: equals stay in the order of the texts.
  const found = [...scores.keys()].sort(
    (one, other) => (scores.get(other) ?? 0) - (scores.get(one) ?? 0),
  );
  const seen = new Set<string>();
  const best = found.filter(({ articleId }) => !seen.has(articleId) && seen.add(articleId));
  return best.slice(0, mostMatches);
}
