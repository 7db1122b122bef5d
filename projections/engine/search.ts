/** Length of an indexed gram; shorter searches match prefixes of words. */
const GRAM = 3;

/** Normalizes text for comparison: lower case, one space between words. */
function folded(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

/**
 * Searchable text of a row: its texts, with a space before each word. Folded here, since PostgreSQL's locale may not
 * know Cyrillic.
 */
export function searchText(texts: readonly (string | null)[]): string {
  return ` ${texts
    .filter((text) => text !== null)
    .map(folded)
    .join(' ')}`;
}

/**
 * Pattern to find in a {@link searchText}, literally: three letters or more anywhere, fewer at the beginning of a word.
 */
export function searchPattern(query: string): string {
  const wanted = folded(query);
  return Array.from(wanted).length < GRAM ? ` ${wanted}` : wanted;
}

/** Trigrams of a text, and prefixes of its words: a text that contains another contains its grams. */
export function gramsOf(text: string): readonly string[] {
  return [...new Set([...runsOf(text, GRAM), ...runsOf(text, 2).filter((run) => run[0] === ' ')])];
}

/** Grams of a search pattern that are not implied by the others. */
export function tellingGrams(pattern: string): readonly string[] {
  const runs = runsOf(pattern, GRAM);
  return runs.length > 0 ? [...new Set(runs)] : gramsOf(pattern);
}

function runsOf(text: string, length: number): readonly string[] {
  const letters = Array.from(text);
  const count = Math.max(0, letters.length - length + 1);
  return Array.from({ length: count }, (_, start) => letters.slice(start, start + length).join(''));
}
