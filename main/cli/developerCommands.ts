import type { Command } from 'commander';
import type { BenchCommandOptions } from '../../test/bench/cli.ts';
import type { ReleaseOptions } from './release/release.ts';
import type { TestOptions } from './test.ts';
import type { EventStoreTestOptions } from './testEventStore.ts';

type TestCommandOptions = TestOptions &
  EventStoreTestOptions & { readonly eventstore?: true; readonly pictures?: string };

/** Adds the commands to work on the platform and beside it: phone, client, test, check, release, bench, trace, docs. */
export function addDeveloperCommands(program: Command): void {
  program
    .command('phone')
    .option('--url <origin>', 'the service; default: that of `./tamga up`')
    .description('an interactive simulated phone: enrol, receive requests, confirm with a PIN')
    .action(async (options: { url?: string }) => (await import('./phone.ts')).phone(options));

  const client = program
    .command('client')
    .description('build the client library for relying parties');
  client
    .command('pack')
    .description('build the library as a package, ready to publish')
    .action(async () => {
      const tarball = await (await import('./clientPackage.ts')).packClient();
      process.stdout.write(`${tarball}\n`);
    });
  client
    .command('api')
    .description("update the reports of the library's exports (client/*.api.md)")
    .action(async () => {
      await (await import('./clientPackage.ts')).clientApi('write');
    });

  program
    .command('test')
    .argument('[files...]', 'test files; default: all')
    .option('-g, --grep <text>', 'only tests whose name contains this')
    .option('--changed', 'only files that changes since main can affect, without the whole service')
    .option(
      '--long',
      'also run tests that take minutes (unless no change affects them), with ten times the generated requests',
    )
    .option('--seed <number>', 'seed of generated requests, as printed by an earlier run', Number)
    .option('--durations', 'end with a table of the time and memory each file took')
    .option(
      '--pictures <directory>',
      'run the tests that take pictures of pages and put them there; docs/screenshots is renewed from these',
    )
    .option(
      '--eventstore',
      'run the tests against EventStoreDB at SVC_EVENTSTORE_URL, which is emptied',
    )
    .option('--soak <minutes>', 'with --eventstore: load while nodes fail in turn', Number)
    .description('install what the tests need and run them')
    .action(async (files: string[], options: TestCommandOptions) => {
      const { eventstore, pictures } = options;
      if (eventstore === true) {
        const { testEventStore } = await import('./testEventStore.ts');
        process.exitCode = await testEventStore(files, options);
      } else if (pictures !== undefined) {
        const { testWithPictures } = await import('./testPictures.ts');
        process.exitCode = await testWithPictures(pictures, options);
      } else {
        process.exitCode = await (await import('./test.ts')).test(files, options);
      }
    });

  program
    .command('check')
    .description(
      'check format, lint, import rules, unused code, commit subjects, and the API against the last release',
    )
    .action(async () => {
      process.exitCode = await (await import('./test.ts')).check();
    });

  program
    .command('release')
    .requiredOption('--to <directory>', 'new or empty')
    .option('--commit <commit>', 'the commit to build', 'HEAD')
    .description('build and pack a release: archive, bill of materials, provenance, checksums')
    .action(async (options: ReleaseOptions) =>
      (await import('./release/release.ts')).release(options),
    );

  program
    .command('bench')
    .argument('[scenarios...]', 'P1, P2, …; default: all')
    .option('--json <file>', 'path of the JSON report', '.tamga/bench.json')
    .option('--rounds <count>', 'interleaved runs of each contestant', Number, 5)
    .option('--wakes <count>', 'notifications sent by P3, which counts the missed ones', Number)
    .option('--quick', 'use tiny sizes, only to check that everything works', false)
    .option('--compare <commit>', 'run the build of this commit in turn and say what differs')
    .description('run benchmarks beside the peers and compare with the targets')
    .action(async (scenarios: string[], options: BenchCommandOptions) => {
      process.exitCode = await (await import('../../test/bench/cli.ts')).bench(scenarios, options);
    });

  program
    .command('trace')
    .argument('[flows...]', 'start, cycle, seal, approval, code; default: all')
    .description('show which files and functions one warm request of the demo enters')
    .action(async (flows: string[]) => {
      process.exitCode = await (await import('../../test/bench/trace/trace.ts')).trace(flows);
    });

  program
    .command('docs')
    .description('regenerate the generated pages of docs/')
    .action(async () => (await import('./documentation.ts')).writeDocumentation());
}
