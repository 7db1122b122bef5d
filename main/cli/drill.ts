import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drillNames, type DrillName, runDrill } from '../drill/drill.ts';
import { DRILL_FILE, type DrillRow, drillTable, faultsOf } from '../drill/report.ts';
import { commandConfig } from './openService.ts';
import { say } from './say.ts';

export interface DrillCommandOptions {
  readonly short: boolean;
  /** Cycles begun a second. */
  readonly rate: number;
  /** Command line of the former release. */
  readonly former?: string;
  readonly only?: readonly string[];
}

/** This release, with the seconds for which a process that ends answers on. */
const here = {
  program: fileURLToPath(new URL('tamga.js', import.meta.url)),
  settings: { SVC_DRAIN_SECONDS: '3' },
};

/**
 * Runs `./tamga drill` on an installation of its own.
 *
 * @returns exit code: 1 when a fact was lost or an answer wrong
 */
export async function drill(options: DrillCommandOptions): Promise<0 | 1> {
  const only = (options.only ?? drillNames).map(named);
  const { former } = options;
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => ending.abort(new Error('The drill was interrupted.')));
  }
  const report = await runDrill({
    releases: {
      current: here,
      ...(former !== undefined && { former: { program: resolve(former), settings: {} } }),
    },
    perSecond: options.rate,
    short: options.short,
    only,
    onRow: (row) => say(lineOf(row)),
    signal: ending.signal,
  });
  const path = join(commandConfig().SVC_DATA_DIR, DRILL_FILE);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
  say(`\n${drillTable(report)}\n\nKept in ${path}, for ./tamga doctor.`);
  const faults = faultsOf(report);
  for (const fault of faults) say(fault);
  return faults.length === 0 ? 0 : 1;
}

function named(name: string): DrillName {
  const found = drillNames.find((each) => each === name);
  if (found !== undefined) return found;
  throw new Error(`There is no fault ${name}. Choose from ${drillNames.join(', ')}.`);
}

function lineOf(row: DrillRow): string {
  const { fault, skipped, cycles, createsFailed, kinds, othersRefused, wholeSeconds } = row;
  if (skipped !== null) return `${fault}: not tried: ${skipped}`;
  const answers = Object.entries(kinds).map(([answer, times]) => `${times} × ${answer}`);
  const why = answers.length === 0 ? '' : ` (${answers.join(', ')})`;
  const failed = `${createsFailed} of ${cycles} creations failed, ${othersRefused} others refused${why}`;
  return `${fault}: ${failed}, recovered after ${wholeSeconds.toFixed(1)} s`;
}
