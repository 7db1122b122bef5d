import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ranFiles, type RootHook } from './ranFiles.ts';

// Hooks of `./tamga test --durations`: a table of what each file took.

/** Path of the file that the processes of a run write their lines to. */
const LINES = 'TAMGA_TEST_DURATIONS';

/** Time a test file took, or that passed until now. */
interface Taken {
  /** ms. */
  readonly wall: number;
  /** Seconds of processor time, with those of the processes it started. */
  readonly processor: number;
}

interface Line extends Taken {
  readonly file: string;
  /** ms outside of tests: in hooks of suites, which start services and browsers. */
  readonly setUp: number;
  /** Seconds of processor time that PostgreSQL has taken since the run began. */
  readonly postgres: number;
  /** MB the process holds when the file is done; it has run others before. */
  readonly memory: number;
  /** MB it held at most until then. */
  readonly most: number;
}

/** Mocha root fixture, before anything starts. */
export function mochaGlobalSetup(): void {
  process.env[LINES] ??= join(mkdtempSync(join(tmpdir(), 'tamga-durations-')), 'lines');
}

/** Mocha root fixture: prints the table, the longest first. */
export function mochaGlobalTeardown(): void {
  const path = process.env[LINES] ?? '';
  const lines = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  rmSync(dirname(path), { recursive: true });
  // In the order they ended, the first of equals: what follows in the same process held as much already.
  const largest = lines.reduce((one, other) => (one.most < other.most ? other : one));
  const rows = lines
    .sort((one, other) => other.processor - one.processor)
    .map(({ file, wall, setUp, processor, memory, most }) =>
      [
        ...[wall, setUp].map((milliseconds) => (milliseconds / 1000).toFixed(1)),
        ...[processor.toFixed(1), memory.toFixed(), most.toFixed()],
      ]
        .map((value) => value.padStart(8))
        .concat(`  ${file}`)
        .join(''),
    );
  const sum = (key: 'wall' | 'processor' | 'setUp') =>
    lines.reduce((total, line) => total + line[key], 0);
  process.stdout.write(
    `\n seconds  set-up processor    MB at most  file\n${rows.join('\n')}\n` +
      `${(sum('wall') / 1000).toFixed()} s in files, ${(sum('setUp') / 1000).toFixed()} of them in set-up; ` +
      `${sum('processor').toFixed()} s of processor time, and ${Math.max(...lines.map(({ postgres }) => postgres)).toFixed()} s of PostgreSQL\n` +
      `The largest process held ${largest.most.toFixed()} MB at most, in ${largest.file}.\n`,
  );
}

let before: Taken = { wall: 0, processor: 0 };
/** Moment the last test ended, or the file began; ms. */
let idleSince = 0;
/** ms. */
let setUp = 0;

/** Mocha root hooks, once a file where several processes run. */
export const mochaHooks = {
  beforeAll(): void {
    before = taken();
    idleSince = before.wall;
    setUp = 0;
  },
  beforeEach(): void {
    setUp += performance.now() - idleSince;
  },
  afterEach(): void {
    idleSince = performance.now();
  },
  afterAll(this: RootHook): void {
    const now = taken();
    const line: Line = {
      file: ranFiles(this),
      wall: now.wall - before.wall,
      setUp: setUp + now.wall - idleSince,
      postgres: postgresTime(),
      processor: now.processor - before.processor,
      memory: process.memoryUsage.rss() / 2 ** 20,
      most: process.resourceUsage().maxRSS / 2 ** 10,
    };
    appendFileSync(process.env[LINES] ?? '', `${JSON.stringify(line)}\n`);
  },
};

function taken(): Taken {
  return { wall: performance.now(), processor: processorTime() };
}

/** Ticks a second that Linux counts processor time in. */
const TICKS = 100;

/** Seconds of this process, of those it started and of theirs, gone or not; of this alone where there is no /proc. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  let stats: Map<number, Stat>;
  try {
    stats = processes();
  } catch {
    return (user + system) / 1e6;
  }
  return withDescendants(process.pid, stats);
}

/** Seconds of the PostgreSQL server that this run's first process started; 0 where there is no /proc. */
function postgresTime(): number {
  try {
    const stats = processes();
    const server = [...stats].find(
      ([, { program, parent }]) =>
        program === 'postgres' && [process.ppid, process.pid].includes(parent),
    );
    return server === undefined ? 0 : withDescendants(server[0], stats);
  } catch {
    return 0;
  }
}

/** Seconds of a process and all below it. */
function withDescendants(root: number, stats: ReadonlyMap<number, Stat>): number {
  let ticks = 0;
  const family = [root];
  for (let pid = family.pop(); pid !== undefined; pid = family.pop()) {
    ticks += stats.get(pid)?.ticks ?? 0;
    for (const [child, { parent }] of stats) if (parent === pid) family.push(child);
  }
  return ticks / TICKS;
}

interface Stat {
  readonly program: string;
  readonly parent: number;
  readonly ticks: number;
}

/** Every process of the machine, from /proc/PID/stat (proc_pid_stat(5)). */
function processes(): Map<number, Stat> {
  const found = new Map<number, Stat>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    let stat: string;
    try {
      stat = readFileSync(`/proc/${name}/stat`, 'latin1');
    } catch {
      continue;
    }
    // The name of the program may hold blanks and parentheses.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    found.set(Number(name), {
      program: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
      parent,
      ticks: fields.slice(11, 15).reduce((sum, each) => sum + each, 0),
    });
  }
  return found;
}
