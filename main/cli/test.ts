import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { availableParallelism, constants, totalmem } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { auditDependencies } from './auditDependencies.ts';
import { longSubjectsOfBranch } from './commitSubjects.ts';
import { checkApi } from './release/checkApi.ts';

/** A program some tests drive, and the Debian package that brings it. */
interface Tool {
  readonly program: string;
  readonly package: string;
  readonly purpose: string;
}

const tools: readonly Tool[] = [
  { program: 'redis-server', package: 'redis-server', purpose: 'jobs on BullMQ' },
  { program: 'softhsm2-util', package: 'softhsm2', purpose: 'keys in a PKCS#11 token' },
  {
    program: 'chromium-headless-shell',
    package: 'chromium-headless-shell',
    purpose: 'pages in a browser',
  },
  {
    program: 'apache2',
    package: 'libapache2-mod-auth-openidc',
    purpose: 'logins of another relying party',
  },
  { program: 'nginx', package: 'nginx-light', purpose: 'the proxy of the example' },
  { program: 'haproxy', package: 'haproxy', purpose: 'the other proxy of the examples' },
  { program: 'kubectl', package: 'kubernetes-client', purpose: 'the overlays for Kubernetes' },
  { program: 'soxi', package: 'sox', purpose: 'spoken answers' },
  { program: 'pdfsig', package: 'poppler-utils', purpose: 'stamped PDFs' },
  { program: 'certutil', package: 'libnss3-tools', purpose: 'trust in stamped PDFs' },
  { program: 'qpdf', package: 'qpdf', purpose: 'stamped PDFs' },
  { program: 'gs', package: 'ghostscript', purpose: 'PDFs of other producers' },
  { program: 'oathtool', package: 'oathtool', purpose: "operators' authenticators" },
  { program: 'promtool', package: 'prometheus', purpose: 'rules of its alerts' },
  { program: 'openssl', package: 'openssl', purpose: 'independent verification' },
];

/** Options of `./tamga test`. */
export interface TestOptions {
  /** Only tests whose name contains this. */
  readonly grep?: string;
  /** Runs only test files affected by changes that `main` does not have. */
  readonly changed?: true;
  /** Also the long ones, which are left out where no change touches what they use, and all generated requests. */
  readonly long?: true;
  /** Of the generated requests; default: a new one. */
  readonly seed?: number;
  /** Ends with a table of what each file took. */
  readonly durations?: true;
}

/**
 * Installs missing tools where that is allowed, runs the tests, ends with `N passed, N failed, N skipped`.
 *
 * @param files compiled from `test/…`; empty: every test
 * @returns exit code
 */
export async function test(files: readonly string[], options: TestOptions): Promise<number> {
  await installTools();
  const wanted = options.changed === true ? [...files, ...(await changed())] : files;
  if (options.changed === true && wanted.length === 0) {
    process.stdout.write('No test file uses the changed files.\n');
    return 0;
  }
  const compiled = longestAhead(wanted.map(compiledOf));
  const chosen = compiled.length === 0 ? await everyTest(options) : compiled;
  const jobs = Math.min(sideBySideJobs(), chosen.length);
  const parameters = [
    ...['--reporter', 'dist/test/support/runner/reporter.js'],
    ...(jobs > 1 ? [...sideBySide, String(jobs)] : []),
    ...(compiled.length === 0 ? ['--require', 'dist/test/support/runner/bundledProgram.js'] : []),
    ...(options.durations === true ? ['--require', 'dist/test/support/runner/durations.js'] : []),
    // Last, as no hook is called after one that fails.
    ...(jobs > 1 ? ['--require', 'dist/test/support/runner/memory.js'] : []),
    ...(options.grep === undefined ? [] : ['--grep', options.grep]),
    ...chosen,
  ];
  return runAsGroup('node_modules/.bin/mocha', parameters, {
    ...process.env,
    ...returningMemory,
    ...(options.long === true && { TAMGA_TEST_LONG: 'true' }),
    ...(options.seed !== undefined && { TAMGA_TEST_SEED: String(options.seed) }),
  });
}

/**
 * Settings of glibc (mallopt(3)) for test processes: two arenas instead of eight a core, and a threshold that stays where
 * it starts. Once a block of megabytes is freed, the next ones come from an arena, which shrinks only from its end.
 */
const returningMemory = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(128 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(128 * 1024),
};

/** Test files the change can affect and that answer soon; says which others the whole run has. */
async function changed(): Promise<readonly string[]> {
  // Loaded here alone: it reads with the TypeScript compiler, which an installation for production lacks.
  const { affectedTests, changedFiles, compiledImports, reachingEverything } =
    await import('./changedTests.ts');
  const files = changedFiles();
  const { direct, byPath, throughService } = affectedTests(compiledImports(), files);
  const soon = direct.filter((file) => !file.startsWith(LONG) || files.includes(file));
  for (const file of reachingEverything(files)) {
    process.stdout.write(`${file} can affect every test. Run ./tamga test.\n`);
  }
  const long = direct.length - soon.length;
  if (long > 0) {
    process.stdout.write(`${long} more files take minutes. Run ./tamga test to include them.\n`);
  }
  if (throughService.length > 0) {
    process.stdout.write(
      `${throughService.length} more files start the whole service, which the change is part of. Run ./tamga test to include them.\n`,
    );
  }
  return [...soon, ...byPath];
}

/** bytes; a test process with its share of PostgreSQL and Chromium. */
const MEMORY_OF_A_JOB = 1.5 * 2 ** 30;

/** Three for two cores, as tests wait for processes, timers and disks half of their time; fewer where memory is short. */
function sideBySideJobs(): number {
  const fitting = Math.floor(totalmem() / MEMORY_OF_A_JOB);
  return Math.max(1, Math.min(Math.ceil(1.5 * availableParallelism()), fitting));
}

/** Each file goes to whichever process is free. */
const sideBySide = [
  ...['--require', 'dist/test/support/runner/sideBySide.js'],
  ...['--parallel', '--jobs'],
];

/**
 * Folders and files that take longest, as `./tamga test --durations` shows: with these at the end one process would
 * still run when the others are done. A file named before its folder is ahead of the others there.
 */
export const longestFirst = [
  'long',
  // Of hundreds of megabytes, while the processes hold little else.
  ...['api/largeBodies', 'application/documentFiles', 'pdf/attacks', 'pdf/activeContent'],
  ...['e2e/frontProxies', 'infrastructure/eventStoreDbArchive', 'pdf/stamping', 'e2e/seal'],
  ...['infrastructure/eventStoreDbFailover', 'infrastructure/moveLog', 'client/demoBankWithPhone'],
  ...['infrastructure/copyLog', 'pdf/reader', 'pdf/otherWriters', 'infrastructure/archive'],
  ...['infrastructure/eventStoreDbEventLog', 'infrastructure/postgresEventLog'],
  ...['infrastructure/serverWatch', 'pdf', 'console', 'phone', 'client', 'e2e', 'infrastructure'],
];

/** Folder of tests that kill, freeze, pack or walk pictures: minutes each. */
const LONG = 'test/long/';

/** All test files, the longest first; without `long` those in the folder of long ones only where a change touches them. */
async function everyTest({ long }: TestOptions): Promise<readonly string[]> {
  const found = await readdir('dist/test', { recursive: true });
  const every = longestAhead(
    found.filter((file) => file.endsWith('.test.js')).map((file) => join('dist/test', file)),
  );
  if (long === true) return every;
  const { affectedTests, changedFiles, compiledImports } = await import('./changedTests.ts');
  const touched = affectedTests(compiledImports(), changedFiles()).direct.map(compiledOf);
  const isLong = (file: string) => file.startsWith(join('dist', LONG));
  const chosen = every.filter((file) => !isLong(file) || touched.includes(file));
  process.stdout.write(
    `Leaving out ${every.length - chosen.length} long files that no change since main touches. Run ./tamga test --long to include them.\n`,
  );
  return chosen;
}

function longestAhead(compiled: readonly string[]): readonly string[] {
  return [...compiled].sort((one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1));
}

/** Place of a compiled file in {@link longestFirst}. */
function rankOf(compiled: string): number {
  const file = relative('dist/test', compiled);
  const named = longestFirst.indexOf(file.replace(/\.test\.js$/, ''));
  const place = named === -1 ? longestFirst.indexOf(dirname(file)) : named;
  return place === -1 ? longestFirst.length : place;
}

const compiledOf = (file: string) => join('dist', file.replace(/\.ts$/, '.js'));

/**
 * Formatting, lint without a warning, import rules, nothing unused, dependencies without a grave finding, nothing taken from callers of
 * the last release, commit subjects. @returns exit code
 */
export async function check(): Promise<number> {
  const failed = await Promise.all([
    firstFailure([
      ['prettier', '--check', '--log-level', 'warn', '.'],
      ['tsc', '-p', 'apps/console'],
      ['tsc', '-p', 'apps/phone/web'],
      ['tsc', '-p', 'apps/site/browser'],
      ['tsc', '-p', 'apps/pages'],
      ['tsc', '-p', 'client/examples'],
      ['tsc', '-p', 'client/examples/tsconfig.browser.json'],
      ['depcruise', '--config', '.dependency-cruiser.cjs', '--no-progress', ...sourceRoots],
      ['knip', '--no-progress'],
    ]),
    // Takes as long as all others together.
    firstFailure([['eslint', '.', '--max-warnings', '0']]),
  ]);
  const code = failed.find((each) => each !== 0);
  if (code !== undefined) return code;
  process.stdout.write('the dependencies …\n');
  const { result, message } = await auditDependencies();
  process.stdout.write(`${message}\n`);
  if (result === 'failed') return 1;
  const long = longSubjectsOfBranch();
  for (const line of long) process.stdout.write(`Shorten the subject to 72 characters: ${line}\n`);
  if (long.length > 0) return 1;
  process.stdout.write('the API against the last release …\n');
  return checkApi();
}

/** Runs programs of the packages one after the other. @returns exit code of the first that failed; 0: none did */
async function firstFailure(steps: readonly (readonly [string, ...string[]])[]): Promise<number> {
  for (const [program, ...parameters] of steps) {
    process.stdout.write(`${program} …\n`);
    const code = await run(`node_modules/.bin/${program}`, parameters);
    if (code !== 0) return code;
  }
  return 0;
}

/** The folders import rules are checked in. */
const sourceRoots = [
  'main',
  ...['domain', 'application', 'projections', 'infrastructure', 'api'],
  ...[
    'client',
    'apps/phone',
    'apps/console/src',
    'apps/pages',
    'apps/site',
    'apps/verifier',
    'test/bench',
  ],
];

/** Installs what some tests drive, where that is allowed; says what stays missing. */
export async function installTools(): Promise<void> {
  const missing = tools.filter(({ program }) => !isInstalled(program));
  if (missing.length === 0) return;
  const packages = missing.map((tool) => tool.package);
  if (process.getuid?.() === 0 && isInstalled('apt-get')) {
    process.stdout.write(`Installing ${packages.join(', ')} …\n`);
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await run('apt-get', ['update', '-qq'], environment, 'ignore');
    await run(
      'apt-get',
      ['install', '-y', '-qq', '--no-install-recommends', ...packages],
      environment,
      'ignore',
    );
  }
  for (const { program, package: name, purpose } of missing) {
    if (isInstalled(program)) continue;
    process.stdout.write(
      `${program} is missing: tests of ${purpose} are skipped (package ${name}).\n`,
    );
  }
}

/** True for a program on the PATH. */
export function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .some((directory) => existsSync(join(directory, program)));
}

/** Runs a program to its end. @returns exit code; 127 when it cannot be run */
export function run(
  program: string,
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
  output: 'inherit' | 'ignore' = 'inherit',
): Promise<number> {
  return new Promise((done) => {
    const child = spawn(program, parameters, {
      stdio: ['ignore', output, 'inherit'],
      env: environment,
    });
    child.once('error', () => done(127));
    child.once('close', (code) => done(code ?? 1));
  });
}

/** ms for a group of processes to end before it is killed. */
const ENDING_MS = 10_000;

/**
 * Runs a program to its end, in a process group of its own: a signal that ends this process ends all that the program
 * started, test processes and servers included.
 *
 * @returns exit code; 127 when it cannot be run, 128 and the signal's number after a signal
 */
export function runAsGroup(
  program: string,
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  let group: number | undefined;
  let isEnding = false;
  const end = (signal: NodeJS.Signals) => {
    isEnding = true;
    signalGroup(group, 'SIGTERM');
    const began = performance.now();
    setInterval(() => {
      const isOver = !signalGroup(group, 0);
      if (!isOver && performance.now() - began < ENDING_MS) return;
      signalGroup(group, 'SIGKILL');
      process.exit(128 + constants.signals[signal]);
    }, 50);
  };
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, end);
  return new Promise((done) => {
    const child = spawn(program, parameters, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: environment,
      detached: true,
    });
    group = child.pid;
    child.once('error', () => done(127));
    child.once('close', (code, endedBy) => {
      // A group that was told to end is waited for as a whole.
      if (isEnding) return;
      for (const signal of signals) process.removeListener(signal, end);
      done(endedBy === null ? (code ?? 1) : 128 + constants.signals[endedBy]);
    });
  });
}

/** Signals all processes of a group. @returns false when none is left */
function signalGroup(leader: number | undefined, signal: NodeJS.Signals | 0): boolean {
  try {
    return leader !== undefined && process.kill(-leader, signal);
  } catch {
    return false;
  }
}
