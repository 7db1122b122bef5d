import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { figure, machine, type ScenarioReport, table } from './support/report.ts';
import { median } from './support/statistics.ts';

const run = promisify(execFile);

/** Folder of the builds of other commits, kept to be used again. */
const BUILDS = '.tamga/bench';

export interface CompareOptions {
  /** Runs of each build, in turn. */
  readonly rounds: number;
  readonly quick: boolean;
  readonly progress: (text: string) => void;
}

/**
 * Runs `./tamga bench --compare <commit> [P…]`: this build and that of the commit in turn, each run in processes of its own,
 * and prints which measures differ beyond the noise.
 *
 * @param wanted ids of scenarios; empty: all
 * @throws Error when there is no such commit, or it cannot be built or run
 */
export async function compare(
  commit: string,
  wanted: readonly string[],
  { rounds, quick, progress }: CompareOptions,
): Promise<void> {
  const { stdout } = await run('git', ['rev-parse', '--verify', `${commit}^{commit}`]);
  const sha = stdout.trim();
  const other = await checkedOut(sha);
  const parameters = [...wanted, ...(quick ? ['--quick'] : ['--rounds', '1'])];
  const figures: Runs = { here: [], there: [] };
  for (let round = 1; round <= rounds; round += 1) {
    for (const [of, tree] of [
      ['here', '.'],
      ['there', other],
    ] as const) {
      progress(`round ${round}/${rounds}: ${of === 'here' ? 'this build' : commit}`);
      figures[of].push(await runIn(tree, parameters));
    }
  }
  process.stdout.write(`${renderComparison(commit, figures)}\n`);
}

/** Unpacks a commit, with the packages of this build where it has the same. @returns its directory */
async function checkedOut(sha: string): Promise<string> {
  const directory = join(BUILDS, sha.slice(0, 12));
  if (existsSync(join(directory, 'package.json'))) return directory;
  await mkdir(directory, { recursive: true });
  const archive = join(BUILDS, `${sha}.tar`);
  await run('git', ['archive', '--format=tar', `--output=${archive}`, sha]);
  await run('tar', ['-xf', archive, '-C', directory]);
  for (const root of ['.', '.node']) {
    const lock = join(root, 'package-lock.json');
    const packages = join(root, 'node_modules');
    const [ours, theirs] = [await readFile(lock), await readFile(join(directory, lock))];
    if (!existsSync(packages) || !ours.equals(theirs)) continue;
    await symlink(resolve(packages), join(directory, packages));
  }
  return directory;
}

/** Runs the bench of a build, by its own launcher, which installs and builds what is missing. */
async function runIn(
  tree: string,
  parameters: readonly string[],
): Promise<readonly ScenarioReport[]> {
  const json = resolve(BUILDS, 'figures.json');
  const code = await new Promise<number | null>((done, fail) => {
    const child = spawn('./tamga', ['bench', ...parameters, '--json', json], {
      cwd: tree,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child.once('error', fail);
    child.once('close', done);
  });
  if (code !== 0) throw new Error(`The bench of ${tree} ended with exit code ${code}; see above.`);
  return (
    JSON.parse(await readFile(json, 'utf8')) as { readonly scenarios: readonly ScenarioReport[] }
  ).scenarios;
}

/** Reports of two builds, one of each run. */
export interface Runs {
  readonly here: (readonly ScenarioReport[])[];
  readonly there: (readonly ScenarioReport[])[];
}

/** Table of all measures both builds have. */
export function renderComparison(commit: string, { here, there }: Runs): string {
  const lines = (here[0] ?? []).flatMap(({ id, rows }) =>
    rows.map(({ measure, unit }) => {
      const ours = valuesOf(here, id, measure);
      const theirs = valuesOf(there, id, measure);
      return [
        `${id} ${measure}`,
        unit,
        rangeOf(ours),
        rangeOf(theirs),
        ...(theirs.length === 0 ? ['', 'not measured there'] : differenceOf(ours, theirs)),
      ];
    }),
  );
  const headings = ['measure', 'unit', 'here', commit, 'difference', 'verdict'];
  return [
    `${here.length} runs of each build in turn, median (lowest to highest); ${machine()}`,
    ...table([headings, ...lines]),
  ].join('\n');
}

function valuesOf(
  runs: readonly (readonly ScenarioReport[])[],
  id: string,
  measure: string,
): readonly number[] {
  return runs.flatMap((reports) =>
    reports
      .filter((report) => report.id === id)
      .flatMap(({ rows }) => rows.filter((row) => row.measure === measure))
      .map(({ subject }) => subject.value),
  );
}

function rangeOf(values: readonly number[]): string {
  if (values.length === 0) return '';
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  return `${figure(median(values))} (${figure(lowest)} to ${figure(highest)})`;
}

/** Calls a difference one beyond the noise when no run of one build lies among those of the other. */
function differenceOf(ours: readonly number[], theirs: readonly number[]): [string, string] {
  const percent = (median(ours) / median(theirs) - 1) * 100;
  const difference = `${percent > 0 ? '+' : ''}${percent.toFixed(0)} %`;
  if (ours.length < 3) return [difference, 'too few runs to tell'];
  if (Math.min(...ours) > Math.max(...theirs)) return [difference, 'HIGHER'];
  if (Math.max(...ours) < Math.min(...theirs)) return [difference, 'LOWER'];
  return [difference, 'within the noise'];
}
