import type { Options } from 'minisearch';

/** A passage as a result of a search shows it. */
export interface Found {
  readonly page: string;
  readonly heading: string;
  /** Path below the site's root, with the anchor. */
  readonly address: string;
  readonly excerpt: string;
  readonly language: string;
}

/** Latin letters that readers type for Cyrillic ones. */
const latin: Readonly<Record<string, string>> = Object.fromEntries(
  'аa бb вv гg дd еe ёyo жj зz иi йi кk лl мm нn оo өu пp рr сs тt уu үu фf хh цts чch шsh щsh ъ ыy ь эe юyu яya'
    .split(' ')
    .map((pair) => [pair.slice(0, 1), pair.slice(1)]),
);

/** Makes one word of both spellings: PIN and ПИН, kharakh and харах. */
function inLatin(word: string): string {
  return word
    .toLowerCase()
    .replace(/\p{Script=Cyrillic}/gu, (letter) => latin[letter] ?? letter)
    .replaceAll('kh', 'h');
}

/** Rules by which passages are indexed and found, the same where the index is made and where it is read. */
export const searchOptions: Options = {
  fields: ['heading', 'page', 'text'],
  storeFields: ['page', 'heading', 'address', 'excerpt', 'language'],
  // A code such as WRONG_VC is one word.
  tokenize: (text) => text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== ''),
  processTerm: inLatin,
  searchOptions: {
    boost: { heading: 4, page: 2 },
    prefix: true,
    fuzzy: (term) => (term.length > 5 ? 0.2 : false),
    combineWith: 'AND',
  },
};
