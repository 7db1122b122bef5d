import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { scenarios } from './scenarios.ts';
import { runScenario } from './support/bench.ts';
import { renderReport, type ScenarioReport } from './support/report.ts';

interface Options {
  readonly json: string;
  readonly rounds: string;
  readonly quick: boolean;
}

const command = new Command('bench')
  .description('Measures Tamga beside its peers, interleaved, and compares with floor and goal.')
  .argument(
    '[scenarios...]',
    `which ones (default all): ${scenarios.map(({ id }) => id).join(' ')}`,
  )
  .option('--json <file>', 'where to write the results', '.tamga/bench.json')
  .option('--rounds <n>', 'interleaved runs of each contestant', '5')
  .option('--quick', 'tiny sizes, only to see that everything works', false)
  .parse();

const options = command.opts<Options>();
const wanted = command.args.map((id) => id.toUpperCase());
const unknown = wanted.filter((id) => !scenarios.some((scenario) => scenario.id === id));
if (unknown.length > 0) command.error(`No such scenario: ${unknown.join(', ')}`);

const reports: ScenarioReport[] = [];
const failures: string[] = [];
for (const scenario of scenarios) {
  if (wanted.length > 0 && !wanted.includes(scenario.id)) continue;
  try {
    const report = await runScenario(scenario, {
      rounds: options.quick ? 1 : Number(options.rounds),
      quick: options.quick,
      progress: (text) => process.stderr.write(`${text}\n`),
    });
    reports.push(report);
    process.stdout.write(`\n${renderReport(report)}\n`);
  } catch (error) {
    failures.push(scenario.id);
    process.stderr.write(`${scenario.id} failed: ${describe(error)}\n`);
  }
}

await mkdir(dirname(options.json), { recursive: true });
await writeFile(
  options.json,
  JSON.stringify(
    {
      at: new Date().toISOString(),
      node: process.version,
      processor: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      quick: options.quick,
      scenarios: reports,
      failed: failures,
    },
    null,
    2,
  ),
);
const missed = reports.flatMap(({ rows }) =>
  rows.filter(({ verdict }) => verdict === 'FLOOR MISSED'),
);
process.stdout.write(
  `\n${reports.length} scenarios measured, ${failures.length} failed, ${missed.length} floors missed; ${options.json}\n`,
);
process.exitCode = failures.length > 0 ? 1 : 0;

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
