import { createReadStream } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { parseEventLine } from '../../infrastructure/export/eventLines.ts';
import { type AcknowledgedSession, type LoadFigures, runCycleLoad } from './cycleLoad.ts';
import { type Fault, type FaultName, faults, type Pace, type Releases } from './faults.ts';
import { counted, type DrillReport, type DrillRow, RESTORED, untried } from './report.ts';
import { restoreOlder } from './restoration.ts';
import { openScratch, type Scratch } from './scratch.ts';

/** A fault under load, or the restoration after it. */
export type DrillName = FaultName | 'restore';

export interface DrillOptions {
  readonly releases: Releases;
  /** Cycles begun a second; halved until none fails without a fault, and the report says so. */
  readonly perSecond: number;
  /** Faults of seconds instead of tens of seconds. */
  readonly short: boolean;
  readonly only: readonly DrillName[];
  /** Told of each fault when it is over; facts lost are counted at the end. */
  readonly onRow: (row: DrillRow) => void;
  /** Ends it; the installation is removed. */
  readonly signal?: AbortSignal;
}

const paces: Readonly<Record<'short' | 'long', Pace>> = {
  short: { lasts: 8000, dead: 1000, around: 1500 },
  long: { lasts: 20_000, dead: 5000, around: 5000 },
};

/** Names of all faults, in the order of a drill. */
export const drillNames: readonly DrillName[] = [
  ...(Object.keys(faults) as FaultName[]),
  'restore',
];

/** Load until the signal ends it. */
type Load = (signal: AbortSignal) => Promise<LoadFigures>;

interface Ran {
  readonly row: DrillRow;
  readonly sessions: readonly AcknowledgedSession[];
}

/** Breaks a scratch installation in each way in turn, under load. @throws what the signal was ended with */
export async function runDrill(options: DrillOptions): Promise<DrillReport> {
  const { releases, signal } = options;
  signal?.throwIfAborted();
  const interrupted = new Promise<never>((_, reject) =>
    signal?.addEventListener('abort', () => reject(signal.reason as Error)),
  );
  interrupted.catch(() => undefined);
  const scratch = await openScratch(releases.current);
  try {
    return await Promise.race([drillOn(scratch, options), interrupted]);
  } finally {
    await scratch.stop();
  }
}

async function drillOn(scratch: Scratch, options: DrillOptions): Promise<DrillReport> {
  const { releases, short, only, onRow } = options;
  const pace = paces[short ? 'short' : 'long'];
  const { perSecond, slowMs, baseline } = await calibrated(scratch, pace, options);
  const load = loadOf(scratch, perSecond, slowMs);

  async function tried(fault: Fault): Promise<Ran> {
    const skipped = fault.missing(scratch, releases);
    if (skipped !== null) return { row: { ...untried, fault: fault.name, skipped }, sessions: [] };
    return underLoad(load, fault.name, pace, () => fault.run(scratch, pace, releases));
  }

  const all = [baseline];
  for (const name of (Object.keys(faults) as FaultName[]).filter((each) => only.includes(each))) {
    const ran = await tried(faults[name]);
    all.push(ran);
    onRow(ran.row);
  }
  const known = await factsOf(scratch, releases);
  const rows = all.map(({ row, sessions }) => ({ ...row, lost: lostOf(sessions, known) }));
  if (only.includes('restore')) {
    const { row, sessions } = await restored(scratch, releases, load, pace);
    const kept = await factsOf(scratch, releases);
    const earlier = all.flatMap((ran) => ran.sessions);
    rows.push({ ...row, lost: lostOf([...earlier, ...sessions], kept) });
    onRow(row);
  }
  return { at: new Date().toISOString(), cores: availableParallelism(), perSecond, short, rows };
}

const loadOf =
  ({ relyingParty, phones, balancer }: Scratch, perSecond: number, slowMs: number): Load =>
  (signal) => {
    const origins = [balancer.origin, balancer.origin] as const;
    const rate = { perSecond, milliseconds: Infinity, slowMs, signal };
    return runCycleLoad({ relyingParty, phones, origins, ...rate });
  };

/** Longest wait, s, at a rate that the machine carries, and the rate from which on any wait is taken for its own. */
const CARRIED = { seconds: 2, perSecond: 2 } as const;

/** Finds the rate that the machine carries without a fault, and what is slow at it. */
async function calibrated(scratch: Scratch, pace: Pace, { perSecond, onRow }: DrillOptions) {
  for (let rate = perSecond; rate >= 1; rate /= 2) {
    const load = loadOf(scratch, rate, Infinity);
    // The first requests compile what they run through.
    await underLoad(load, 'warm-up', pace, () => pause(pace.around));
    const baseline = await underLoad(load, `none, ${rate} per second`, pace, () =>
      pause(pace.lasts),
    );
    onRow(baseline.row);
    const { createsFailed, othersRefused, wrong, longestSeconds } = baseline.row;
    if (createsFailed + othersRefused + wrong.length > 0) continue;
    if (longestSeconds > CARRIED.seconds && rate >= CARRIED.perSecond) continue;
    return { perSecond: rate, slowMs: Math.max(1000, 2000 * longestSeconds), baseline };
  }
  throw new Error('Logins fail here without a fault. The machine is too busy for a drill.');
}

async function underLoad(
  load: Load,
  fault: string,
  { around }: Pace,
  breakAndMend: () => Promise<void>,
): Promise<Ran> {
  const ending = new AbortController();
  const running = load(ending.signal);
  try {
    await pause(around);
    const at = performance.now();
    // Failure as a wrong answer: a fault that cannot be mended does not lose what was seen before.
    const failures = await breakAndMend().then(
      () => [],
      (error: unknown) => [String(error)],
    );
    const mendedAt = performance.now();
    await pause(around);
    ending.abort();
    const figures = await running;
    const row = rowOf(fault, figures, at, mendedAt);
    return { row: { ...row, wrong: [...row.wrong, ...failures] }, sessions: figures.sessions };
  } finally {
    ending.abort();
  }
}

/** @param at beginning of the fault, @param mendedAt its end; `performance.now()`, ms */
function rowOf(fault: string, figures: LoadFigures, at: number, mendedAt: number): DrillRow {
  const last = Math.max(at, ...figures.disturbances.map(({ ended }) => ended));
  return {
    fault,
    skipped: null,
    cycles: figures.cycles,
    createsFailed: figures.createsFailed.length,
    kinds: counted([...figures.createsFailed, ...figures.othersRefused]),
    othersRefused: figures.othersRefused.length,
    wrong: [...figures.unknown, ...figures.surprises],
    longestSeconds: figures.longestMs / 1000,
    lastedSeconds: (mendedAt - at) / 1000,
    wholeSeconds: (last - at) / 1000,
    lost: 0,
  };
}

async function restored(
  scratch: Scratch,
  { current }: Releases,
  load: Load,
  { around }: Pace,
): Promise<Ran> {
  const ending = new AbortController();
  const running = load(ending.signal);
  const { lostAt, wholeAt, wrong } = await restoreOlder(scratch, current, async () => {
    await pause(around);
    ending.abort();
    await running;
  }).finally(() => ending.abort());
  const figures = await running;
  const row = rowOf(RESTORED, figures, lostAt, wholeAt);
  return {
    row: { ...row, wrong: [...row.wrong, ...wrong], wholeSeconds: row.lastedSeconds },
    sessions: figures.sessions,
  };
}

/** Types of the facts of each session, as an export of the log has them, by stream. */
async function factsOf(
  scratch: Scratch,
  { current }: Releases,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const path = join(scratch.directory, `export-${Date.now()}.jsonl`);
  await scratch.tamga(current, 'audit', 'export', path);
  const facts = new Map<string, Set<string>>();
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const { stream, type } = parseEventLine(line);
    const known = facts.get(stream) ?? new Set();
    facts.set(stream, known.add(type));
  }
  return facts;
}

/** Number of facts that callers were told of and the log does not have. */
function lostOf(
  sessions: readonly AcknowledgedSession[],
  facts: ReadonlyMap<string, ReadonlySet<string>>,
): number {
  return sessions
    .flatMap(({ sessionId, confirmed }) =>
      ['SessionStarted', ...(confirmed ? ['SessionConfirmed'] : [])].map((type) =>
        facts.get(`session-${sessionId}`)?.has(type),
      ),
    )
    .filter((has) => has !== true).length;
}
