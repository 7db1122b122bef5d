import { sha256Hex } from '../shared/digest.ts';
import type { ArticleText } from './events.ts';

/** Longest passage, characters: some 300 words on one subject, well below the limit of embedding models. */
export const longestPassage = 1200;

/** Part of an article: the unit of search, and context for the model. */
export interface Passage {
  readonly title: string;
  readonly content: string;
  readonly source: string | null;
  /** Text to embed: the passage with its headings. */
  readonly embedded: string;
  /** SHA-256 of `embedded`, lower-case hexadecimal: key of its vector. */
  readonly hash: string;
}

/**
 * Splits an article into passages of at most {@link longestPassage} characters: by paragraphs, long ones by sentences,
 * and those by length. A changed paragraph changes only its own passage.
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

/** Splits by code points, so that no character is cut. */
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

/** Joins neighbours up to the limit. */
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
