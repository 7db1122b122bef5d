import { sha256Hex } from '../shared/digest.ts';
import type { ArticleText } from './events.ts';

/** Characters of a passage at most: some 300 words, one thought, well below what embedding models take. */
export const longestPassage = 1200;

/** A part of an article: what is found, and given to the model. */
export interface Passage {
  readonly title: string;
  readonly content: string;
  readonly source: string | null;
  /** What its vector is made of: the passage where it stands. */
  readonly embedded: string;
  /** SHA-256 of `embedded`, lower-case hexadecimal: as long as it stays, so does the vector. */
  readonly hash: string;
}

/**
 * An article in passages, none longer than {@link longestPassage} characters: whole paragraphs as long as they fit, long
 * ones by sentences, and what has none by its length. A changed paragraph changes its passage alone.
 */
export function passagesOf({ title, content, tags, source }: ArticleText): readonly Passage[] {
  const paragraphs = content.split(/\n\s*\n/).flatMap((paragraph) => fitting(paragraph.trim()));
  return packed(paragraphs, '\n\n').map((text) => {
    const embedded = [title, ...(tags.length === 0 ? [] : [tags.join(', ')]), text].join('\n');
    return { title, content: text, source, embedded, hash: sha256Hex(embedded) };
  });
}

function fitting(paragraph: string): readonly string[] {
  if (paragraph === '') return [];
  if (paragraph.length <= longestPassage) return [paragraph];
  const sentences = paragraph.split(/(?<=[.!?…。])\s+|\n/u).flatMap(pieces);
  return packed(sentences, ' ');
}

/** By code points: no character is cut in two. */
function pieces(sentence: string): readonly string[] {
  if (sentence.length <= longestPassage) return sentence === '' ? [] : [sentence];
  const cut: string[] = [];
  let piece = '';
  for (const character of sentence) {
    if (piece.length + character.length > longestPassage) {
      cut.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...cut, piece];
}

/** Joins neighbours as long as they fit. */
function packed(parts: readonly string[], joint: string): readonly string[] {
  const whole: string[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (last !== undefined && last.length + joint.length + part.length <= longestPassage) {
      whole[whole.length - 1] = last + joint + part;
    } else whole.push(part);
  }
  return whole;
}
