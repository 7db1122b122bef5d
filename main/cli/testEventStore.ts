import { join } from 'node:path';
import { installTools, run, runAsGroup } from './test.ts';

/** Tests of one concern, each file with empty servers of its own: an installation takes no log of another. */
interface Suite {
  readonly name: string;
  readonly files: readonly string[];
}

const suites: readonly Suite[] = [
  { name: 'event log contract', files: ['test/infrastructure/eventStoreDbEventLog.test.ts'] },
  {
    name: 'main job',
    files: [
      'test/e2e/roles.test.ts',
      'test/e2e/clientLibrary.test.ts',
      'test/e2e/opensslVerifies.test.ts',
      'test/e2e/verifiedToAuthenticated.test.ts',
      'test/long/survivesKill.test.ts',
    ],
  },
  {
    name: 'organizations',
    files: ['test/e2e/organizations.test.ts', 'test/e2e/organizationAdmin.test.ts'],
  },
  { name: 'documents', files: ['test/e2e/documents.test.ts'] },
  {
    name: 'archive',
    files: ['test/infrastructure/eventStoreDbArchive.test.ts', 'test/long/archive.test.ts'],
  },
  {
    name: 'OpenID Connect',
    files: ['test/e2e/openIdConnect.test.ts', 'test/long/openIdConnectRestart.test.ts'],
  },
  { name: 'failover under load', files: ['test/eventstore/failover.ts'] },
];

const soak: Suite = { name: 'soak', files: ['test/eventstore/soak.ts'] };

export interface EventStoreTestOptions {
  /** Only tests whose name contains this. */
  readonly grep?: string;
  /** Instead of the suites: so many minutes of load while nodes fail in turn. */
  readonly soak?: number;
}

/**
 * Runs the suites that need EventStoreDB against the servers the environment gives, emptied before each file.
 *
 * @param files only these, instead of every suite
 * @returns exit code
 */
export async function testEventStore(
  files: readonly string[],
  options: EventStoreTestOptions,
): Promise<number> {
  const url = given('SVC_EVENTSTORE_URL');
  const cluster = given('TAMGA_TEST_CLUSTER');
  if (url === undefined) {
    process.stderr.write(
      'SVC_EVENTSTORE_URL is missing: the servers to test against, such as esdb://127.0.0.1:2113?tls=false. They are emptied.\n',
    );
    return 2;
  }
  if (cluster === undefined) {
    process.stdout.write(
      'TAMGA_TEST_CLUSTER is missing, a command that empties and breaks the servers (wipe, up, kill N, freeze N, thaw N, resign N, start N, state, leader): only the event log contract runs.\n',
    );
  }
  await installTools();
  const outcomes: string[] = [];
  const wanted = options.soak === undefined ? chosen(files, cluster !== undefined) : [soak];
  for (const { name, files: each } of wanted) {
    for (const file of each) {
      process.stdout.write(`\n${name}: ${file}\n`);
      const begun = performance.now();
      const passed = (await emptied(cluster)) && (await mocha(file, url, options)) === 0;
      const seconds = ((performance.now() - begun) / 1000).toFixed(0);
      outcomes.push(`${passed ? 'passed' : 'FAILED'}  ${name}: ${file} (${seconds} s)`);
    }
  }
  process.stdout.write(`\n${outcomes.join('\n')}\n`);
  return outcomes.some((line) => line.startsWith('FAILED')) ? 1 : 0;
}

function given(name: string): string | undefined {
  return process.env[name] === '' ? undefined : process.env[name];
}

/** Without a command for the servers, what needs no empty ones. */
function chosen(files: readonly string[], canEmpty: boolean): readonly Suite[] {
  if (files.length > 0) return [{ name: 'chosen', files }];
  return canEmpty ? suites : suites.slice(0, 1);
}

/**
 * Servers without a log, where there is a command for it. Tries twice: two elections at once on empty servers leave a
 * node that ends with a corrupt database at every start. @returns whether they run
 */
export async function emptied(cluster: string | undefined): Promise<boolean> {
  if (cluster === undefined) return true;
  const succeeds = async (verb: string) =>
    (await run('/bin/sh', ['-c', `${cluster} ${verb}`])) === 0;
  for (let tries = 2; tries > 0; tries -= 1) {
    await succeeds('wipe');
    if (await succeeds('up')) return true;
  }
  return false;
}

function mocha(
  file: string,
  url: string,
  { grep, soak: minutes = 0 }: EventStoreTestOptions,
): Promise<number> {
  return runAsGroup(
    'node_modules/.bin/mocha',
    [
      ...['--reporter', 'dist/test/support/runner/reporter.js'],
      ...(grep === undefined ? [] : ['--grep', grep]),
      join('dist', file.replace(/\.ts$/, '.js')),
    ],
    {
      ...process.env,
      TAMGA_TEST_EVENTSTORE_URL: url,
      TAMGA_TEST_SOAK_MINUTES: String(minutes),
    },
  );
}
