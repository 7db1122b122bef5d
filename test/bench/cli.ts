import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { compare } from './compare.ts';
import { scenarios } from './scenarios.ts';
import { runScenario } from './support/bench.ts';
import { renderReport, type ScenarioReport } from './support/report.ts';

export interface BenchCommandOptions {
  /** Path of the JSON report. */
  readonly json: string;
  /** Interleaved runs of each contestant; default 5, always 1 in a quick run. */
  readonly rounds?: number;
  /** Polls of P3, among which lost wake-ups are counted; default 100,000, 2,000 in a quick run. */
  readonly wakes?: number;
  /** Tiny sizes and one round, as a smoke test. */
  readonly quick?: boolean;
  /** Measures this build beside that of this commit, in turn. */
  readonly compare?: string;
}

/**
 * Runs `./tamga bench [P…]`: measures against the peers, prints a table per scenario to standard
 * output as soon as it is done (progress to standard error) and writes all figures as JSON.
 *
 * @param wanted ids of scenarios, any case; empty: all
 * @returns exit code: 1 when a scenario could not be run, 0 otherwise, independent of missed
 * targets
 */
export async function bench(
  wanted: readonly string[],
  options: BenchCommandOptions,
): Promise<number> {
  const ids = wanted.map((id) => id.toUpperCase());
  const unknown = ids.filter((id) => !scenarios.some((scenario) => scenario.id === id));
  if (unknown.length > 0) {
    const known = scenarios.map(({ id }) => id).join(', ');
    process.stderr.write(`No such scenario: ${unknown.join(', ')}. There are: ${known}\n`);
    return 1;
  }
  const { rounds = 5, quick = false } = options;
  if (options.compare !== undefined) {
    await compare(options.compare, ids, { rounds, quick, progress });
    return 0;
  }
  return measure(ids, { ...options, rounds: quick ? 1 : rounds, quick });
}

const progress = (text: string) => void process.stderr.write(`${text}\n`);

async function measure(
  ids: readonly string[],
  options: BenchCommandOptions & { readonly rounds: number; readonly quick: boolean },
): Promise<number> {
  const { rounds, quick, wakes = quick ? 2000 : 100_000 } = options;
  const reports: ScenarioReport[] = [];
  const failed: string[] = [];
  for (const scenario of scenarios) {
    if (ids.length > 0 && !ids.includes(scenario.id)) continue;
    try {
      const report = await runScenario(scenario, { rounds, wakes, quick, progress });
      reports.push(report);
      process.stdout.write(`\n${renderReport(report)}\n`);
    } catch (error) {
      failed.push(scenario.id);
      process.stderr.write(`${scenario.id} failed: ${describe(error)}\n`);
    }
  }
  await writeJson(options, reports, failed);
  const rows = reports.flatMap((report) => report.rows);
  const missed = rows.filter(({ verdict }) => verdict === 'FLOOR MISSED').length;
  const met = rows.filter(({ verdict }) => verdict === 'goal met').length;
  process.stdout.write(
    `\n${rows.length} measures, ${met} goals met, ${missed} floors missed, ` +
      `${failed.length} scenarios failed. Figures: ${options.json}\n`,
  );
  return failed.length > 0 ? 1 : 0;
}

async function writeJson(
  options: BenchCommandOptions,
  reports: readonly ScenarioReport[],
  failed: readonly string[],
): Promise<void> {
  const figures = {
    at: new Date().toISOString(),
    machine: {
      node: process.version,
      processor: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      memoryBytes: totalmem(),
    },
    quick: options.quick === true,
    scenarios: reports,
    failed,
  };
  await mkdir(dirname(options.json), { recursive: true });
  await writeFile(options.json, `${JSON.stringify(figures, null, 2)}\n`);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
