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

/** The words of a text: its letters and digits in a row, as they stand. */
export function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/**
 * The stems a question is searched by when nothing holds it whole: its three longest words of four letters or more, cut to
 * six letters, where Mongolian and English endings begin (contract §12).
 */
export function stemsOf(question: string): readonly string[] {
  const words = wordsOf(comparable(question))
    .map((word) => Array.from(word))
    .filter(({ length }) => length >= shortestWord);
  const longest = words.sort((one, other) => other.length - one.length);
  const stems = longest.map((letters) => letters.slice(0, stemLetters).join(''));
  return [...new Set(stems)].slice(0, wordsSought);
}
