import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { ImportReport } from '../../../application/registerImport/importRegister.ts';
import { measured, type Row, row } from '../support/measure.ts';
import type { Bench, Scenario } from '../support/scenario.ts';

/** `./tamga registry import civil`, the whole command: a first import, and the same file again. */
export const registerImportScenario: Scenario = {
  id: 'REGISTER',
  title: 'Import of the civil register',
  run,
};

const MIB = 1024 * 1024;
/** A million in a quarter of an hour. */
const RECORDS_PER_SECOND = 1_000_000 / 900;

async function run(bench: Bench): Promise<readonly Row[]> {
  const records = bench.size(1_000_000, 2000);
  const file = join(bench.directory, 'civil-register.csv');
  await pipeline(Readable.from(csv(records)), createWriteStream(file));
  const environment = {
    SVC_PROFILE: 'development',
    SVC_DATABASE_URL: await bench.freshDatabase('register'),
    SVC_DATA_DIR: bench.directory,
    SVC_SW_MASTER_KEY: randomBytes(32).toString('base64'),
  };
  bench.progress(`importing ${records} records`);
  const first = await importOnce(file, environment);
  expectCount('added', first.report, records);
  bench.progress('importing the same again');
  const again = await importOnce(file, environment);
  expectCount('unchanged', again.report, records);
  const perSecond = (one: Run) => (records / one.milliseconds) * 1000;
  bench.note(
    `${records} records, start of the command included: ${(first.milliseconds / 1000).toFixed(0)} s, ` +
      `the same again ${(again.milliseconds / 1000).toFixed(0)} s.`,
  );
  return [
    row(
      'first import',
      'records/s',
      { subject: measured('command', [perSecond(first)]) },
      { floor: { atLeast: RECORDS_PER_SECOND }, goal: { atLeast: 2 * RECORDS_PER_SECOND } },
    ),
    row('the same again', 'records/s', { subject: measured('command', [perSecond(again)]) }, {}),
    row(
      'memory of the command, largest',
      'MiB',
      { subject: measured('command', [Math.max(first.peakBytes, again.peakBytes) / MIB]) },
      { floor: { atMost: 500 } },
    ),
  ];
}

interface Run {
  readonly report: ImportReport;
  readonly milliseconds: number;
  readonly peakBytes: number;
}

async function importOnce(
  file: string,
  environment: Readonly<Record<string, string>>,
): Promise<Run> {
  const started = performance.now();
  const command = fileURLToPath(new URL('../../../main/cli/tamga.js', import.meta.url));
  const child = spawn(
    process.execPath,
    // The launcher's option for it.
    ['--max-semi-space-size=16', command, 'registry', 'import', 'civil', file, '--json'],
    { env: { PATH: process.env['PATH'], ...environment }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let [text, peakBytes] = ['', 0];
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  const sampler = setInterval(() => {
    void peakOf(child.pid ?? 0).then((peak) => (peakBytes = Math.max(peakBytes, peak)));
  }, 100);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(sampler);
  if (code !== 0) throw new Error(`The command ended with ${String(code)}.`);
  const milliseconds = performance.now() - started;
  return { report: JSON.parse(text) as ImportReport, milliseconds, peakBytes };
}

/** The most memory a process has had, bytes; 0 when it is gone. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

function expectCount(name: 'added' | 'unchanged', report: ImportReport, records: number): void {
  if (report[name] === records) return;
  throw new Error(`${report[name]} of ${records} records were ${name}.`);
}

function* csv(records: number): Generator<string> {
  yield 'civilId,registrationNumber,givenName,surname,familyName,givenNameLatin,surnameLatin,birthDate,gender,geId,cardNumber,email\n';
  for (let number = 0; number < records; number += 1) {
    const digits = String(number).padStart(8, '0');
    yield `1300${digits},УБ${digits},Наранцэцэг,Бямбасүрэн,Боржигон,Narantsetseg,Byambasuren,1990-01-31,F,${number},E${digits},citizen${number}@mail.example\n`;
  }
}
