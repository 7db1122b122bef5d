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
  const letters = Array.from(text);
  const grams = new Set<string>();
  for (let start = 0; start < letters.length; start += 1) {
    if (letters[start] === ' ') grams.add(letters.slice(start, start + 2).join(''));
    if (start + GRAM <= letters.length) grams.add(letters.slice(start, start + GRAM).join(''));
  }
  return [...grams];
}
