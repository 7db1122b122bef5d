/** Letters found anywhere in a text; what is shorter is found where a word begins. */
const GRAM = 3;

/** Text as it is compared: lower case, one space between words. */
function folded(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

/** What a row is searched by: its texts, each word behind a space. Folded here, for PostgreSQL's locale may know no Cyrillic. */
export function searchText(texts: readonly (string | null)[]): string {
  return ` ${texts
    .filter((text) => text !== null)
    .map(folded)
    .join(' ')}`;
}

/** What is looked for in a {@link searchText}, literally: three letters or more anywhere, fewer where a word begins. */
export function searchPattern(query: string): string {
  const wanted = folded(query);
  return Array.from(wanted).length < GRAM ? ` ${wanted}` : wanted;
}

/** The runs of three letters in a text, and what words begin with: a text that contains another contains its grams. */
export function gramsOf(text: string): readonly string[] {
  return [...new Set([...runsOf(text, GRAM), ...runsOf(text, 2).filter((run) => run[0] === ' ')])];
}

/** Of the grams of what is looked for, those that say something the others do not. */
export function tellingGrams(pattern: string): readonly string[] {
  const runs = runsOf(pattern, GRAM);
  return runs.length > 0 ? [...new Set(runs)] : gramsOf(pattern);
}

function runsOf(text: string, length: number): readonly string[] {
  const letters = Array.from(text);
  const count = Math.max(0, letters.length - length + 1);
  return Array.from({ length: count }, (_, start) => letters.slice(start, start + length).join(''));
}
