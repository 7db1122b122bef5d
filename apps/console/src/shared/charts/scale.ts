const MOST_STEPS = 4;

/** Values of the grid's lines, from 0 to the first at or above the largest value. @param whole no fractions */
export function ticksTo(largest: number, whole: boolean): readonly number[] {
  const rough = (largest > 0 ? largest : 1) / MOST_STEPS;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const round = [1, 2, 5].map((each) => each * unit).find((each) => each >= rough) ?? 10 * unit;
  const step = whole ? Math.max(1, round) : round;
  return Array.from({ length: Math.ceil(largest / step || 1) + 1 }, (_, index) => index * step);
}

/** Width of a character of an axis, px; about, for no label is measured. */
const CHARACTER = 6.5;
const GAP = 24;

/** Distance of labels that do not touch, in slots. @param slot width of one, px */
export function labelEvery(labels: readonly string[], slot: number): number {
  const longest = Math.max(...labels.map((label) => label.length), 1);
  return Math.max(1, Math.ceil((longest * CHARACTER + GAP) / slot));
}
