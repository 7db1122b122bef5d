/** A search result with its score: the cosine of the angle between its vector and the question's. */
export interface Scored {
  readonly score: number;
}

// specification, Limits (knowledge search); contract §12
/** Matches fetched. */
export const fetchedMatches = 8;
/** Least score of the best match. */
const worstBest = 0.35;
/** Largest distance from the best score. */
const spread = 0.03;
/** Results at least, if available. */
const fewest = 2;
/** Results at most. */
export const mostMatches = 4;

/**
 * Selects the relevant matches: none unless the best is near enough; then those close to the best, two at least and
 * four at most.
 *
 * @param matches the nearest, best first
 */
export function worthAnswering<Match extends Scored>(matches: readonly Match[]): readonly Match[] {
  const fetched = matches.slice(0, fetchedMatches);
  const best = fetched[0]?.score ?? -1;
  if (best < worstBest) return [];
  const close = fetched.filter(({ score }) => best - score <= spread).length;
  return fetched.slice(0, Math.min(mostMatches, Math.max(fewest, close)));
}
