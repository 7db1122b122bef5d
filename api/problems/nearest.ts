/** Bounds on what is compared, since a caller chooses the names: letters of one, and how many. */
const [LONGEST, MOST] = [64, 100];

/**
 * Finds the name that differs least, by at most a third of its letters and two of them; upper and lower case are one.
 *
 * @returns null when none is near
 */
export function nearest(name: string, names: readonly string[]): string | null {
  const most = Math.min(2, Math.floor(name.length / 3));
  if (name.length > LONGEST) return null;
  const near = names
    .slice(0, MOST)
    .filter((each) => each !== name && Math.abs(each.length - name.length) <= most)
    .map((each) => ({ each, apart: distance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ apart }) => apart <= most)
    .sort((one, other) => one.apart - other.apart);
  return near[0]?.each ?? null;
}

/** Letters to insert, delete or replace, and neighbours to swap (Damerau and Levenshtein, optimal string alignment). */
function distance(one: string, other: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: other.length + 1 }, (_each, index) => index);
  for (let at = 0; at < one.length; at += 1) {
    const next = [at + 1];
    for (let index = 1; index <= other.length; index += 1) {
      const replaced = (row[index - 1] ?? 0) + (other[index - 1] === one[at] ? 0 : 1);
      const isSwapped = one[at] === other[index - 2] && one[at - 1] === other[index - 1];
      const swapped = isSwapped ? (before[index - 2] ?? Infinity) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[other.length] ?? 0;
}
