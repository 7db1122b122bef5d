/** Something found, and how near it is: the cosine of the angle between its vector and the question's. */
export interface Scored {
  readonly score: number;
}

// specification, Limits (knowledge search); contract §12
/** Matches fetched. */
export const fetchedMatches = 8;
/** A best match below this is none. */
const worstBest = 0.35;
/** How far below the best one may be. */
const spread = 0.03;
/** Kept at least, where there are as many. */
const fewest = 2;
/** Kept at most. */
export const mostMatches = 4;

/**
 * The matches worth answering from: nothing unless the best is near enough; then those close to the best, two at least and
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
