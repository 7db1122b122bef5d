/** Line breaks of a text: none, or line feeds. */
export type LineBreaks = 'one line' | 'lines';

const PLAIN = /^[ -~]*$/;

/**
 * Characters that change how a text reads without being seen: controls, bidirectional and other format characters,
 * zero-width and blank ones, line and paragraph separators, halves of surrogate pairs.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Selectors that belong to what precedes them: the form of an emoji, of a letter in Mongolian script. */
const SELECTORS = /(?<=\p{Emoji})[\ufe0e\ufe0f]|(?<=\p{Script=Mongolian})[\u180b-\u180f]/gu;

/** The micro sign is Greek in its compatible form, and stands before Latin units. */
const WORDS = /(?:[^\P{L}\u00b5]|\p{M})+/gu;

/** Scripts whose letters look alike. */
const LOOKALIKES = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Lisu}/u,
];

/**
 * Checks that a text displayed to a citizen, such as a name or a request, reads as it is stored. Words of different
 * scripts may be neighbours, as Latin names are in Mongolian texts; within a word, scripts with similar letters do not
 * mix.
 *
 * @returns the fault, for the sender of the text; null: none
 */
export function faultOfDisplayed(text: string, lineBreaks: LineBreaks): string | null {
  if (PLAIN.test(text)) return null;
  const line = lineBreaks === 'lines' ? text.replaceAll('\n', ' ') : text;
  if (UNSEEN.test(line.replaceAll(SELECTORS, ''))) {
    return 'Must have no control, bidirectional, zero-width or other unseen characters.';
  }
  const words = line.match(WORDS) ?? [];
  return words.some(mixesLookalikes)
    ? 'Must not mix Latin with Cyrillic, Greek or other letters that look alike within a word.'
    : null;
}

/** Letters count in their compatible form: a mathematical A is a Latin one. */
function mixesLookalikes(word: string): boolean {
  const letters = word.normalize('NFKC');
  return LOOKALIKES.filter((script) => script.test(letters)).length > 1;
}
