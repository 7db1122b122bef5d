import { median } from './statistics.ts';

/** Bound of the ratio to the peer when the row has one, else of the value. */
export type Bound = { readonly atLeast: number } | { readonly atMost: number };

/** Figures of one contestant: one per interleaved run, and their median. */
export interface Measured {
  readonly name: string;
  readonly value: number;
  readonly runs: readonly number[];
}

/** A row of the table: a measure of the subject compared with at most one peer. */
export interface Row {
  readonly measure: string;
  /** Unit, for example `events/s`, `ms`, `KB`. */
  readonly unit: string;
  readonly subject: Measured;
  readonly peer: Measured | null;
  /** Ratio of subject to peer; null without a peer. */
  readonly ratio: number | null;
  readonly floor: Bound | null;
  readonly goal: Bound | null;
  readonly verdict: 'goal met' | 'floor met' | 'FLOOR MISSED' | 'goal missed' | 'no target';
}

/** Floor and goal of a row, from `performance.md` §3. */
export interface Target {
  readonly floor?: Bound;
  readonly goal?: Bound;
}

/** A contestant's runs with their median. */
export function measured(name: string, runs: readonly number[]): Measured {
  return { name, runs, value: median(runs) };
}

/** Builds a row of the table. The ratio is that of the medians. */
export function row(
  measure: string,
  unit: string,
  contest: { readonly subject: Measured; readonly peer?: Measured | undefined },
  { floor, goal }: Target = {},
): Row {
  const { subject, peer } = contest;
  const ratio = peer === undefined ? null : subject.value / peer.value;
  return {
    measure,
    unit,
    subject,
    peer: peer ?? null,
    ratio,
    floor: floor ?? null,
    goal: goal ?? null,
    verdict: verdictOf(ratio ?? subject.value, floor, goal),
  };
}

function verdictOf(value: number, floor?: Bound, goal?: Bound): Row['verdict'] {
  if (floor !== undefined && !holds(value, floor)) return 'FLOOR MISSED';
  if (goal !== undefined && holds(value, goal)) return 'goal met';
  if (floor !== undefined) return 'floor met';
  return goal === undefined ? 'no target' : 'goal missed';
}

function holds(value: number, bound: Bound): boolean {
  return 'atLeast' in bound ? value >= bound.atLeast : value <= bound.atMost;
}

/**
 * Runs all contestants in turn, `rounds` times (A-B-C-A-B-C…), so that other load on the machine
 * affects all alike.
 *
 * @returns results of each contestant's runs, in order
 */
export async function interleave<
  Contestants extends Readonly<Record<string, () => Promise<unknown>>>,
>(
  rounds: number,
  contestants: Contestants,
  progress: (text: string) => void,
): Promise<{ readonly [Name in keyof Contestants]: Awaited<ReturnType<Contestants[Name]>>[] }> {
  const names = Object.keys(contestants);
  const results: Record<string, unknown[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of names) {
      progress(`round ${round}/${rounds}: ${name}`);
      results[name]?.push(await contestants[name]?.());
    }
  }
  return results as { [Name in keyof Contestants]: Awaited<ReturnType<Contestants[Name]>>[] };
}
