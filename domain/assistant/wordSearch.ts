/** A text prepared for search: lower case, composed (a Cyrillic й is one character). */
export interface SearchedText {
  /** Its article; only the best text of each is returned. */
  readonly articleId: string;
  /** Title and tags. */
  readonly heading: string;
  readonly body: string;
}

/** Shortest searchable word, letters. */
const shortestWord = 4;
const wordsSought = 3;
const stemLetters = 6;

/** Normalizes questions and passages for comparison. */
export function comparable(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** Words of a text: maximal runs of letters and digits. */
export function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/**
 * Stems of a question, for when nothing contains it whole: its three longest words of four letters or more, cut to six
 * letters, where Mongolian and English endings begin (contract §12).
 */
export function stemsOf(question: string): readonly string[] {
  const words = wordsOf(comparable(question))
    .map((word) => Array.from(word))
    .filter(({ length }) => length >= shortestWord);
  const longest = words.sort((one, other) => other.length - one.length);
  const stems = longest.map((letters) => letters.slice(0, stemLetters).join(''));
  return [...new Set(stems)].slice(0, wordsSought);
}
