import { mostMatches } from '../../../domain/assistant/ranking.ts';
import { comparable, type SearchedText, stemsOf } from '../../../domain/assistant/wordSearch.ts';

/**
 * The rule of the index of words (domain/assistant/wordIndex.ts), read off by walking through all texts.
 *
 * @param texts articles in the order of their ids
 */
export function searchLinearly<Text extends SearchedText>(
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
