import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { Command } from 'commander';
import { program } from '../../main/cli/program.ts';
import { type ShownBlock, shownBlocks } from '../support/programs/shownBlocks.ts';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'client/README.md',
  ...readdirSync('docs')
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
];

/** Command lines of `./tamga` in the shell blocks of a page, continued lines joined. */
function commandLines(page: string): readonly string[] {
  return shownBlocks(page).flatMap(({ text }) =>
    Array.from(
      text.replaceAll('\\\n', ' ').matchAll(/(?<![\w/])\.\/tamga ([^\n|;)&]*)/g),
      ([, line = '']) => line.replace(/\s#.*$/, '').trim(),
    ),
  );
}

/** Command lines of `./tamga` in the sentences of a page; what stands for something else is in capitals or brackets. */
function mentioned(page: string): readonly string[] {
  const text = readFileSync(page, 'utf8').replaceAll(/^ *```[\s\S]*?^ *```$/gmu, '');
  return Array.from(text.matchAll(/`\.\/tamga ([^`]*)`/gu), ([, line = '']) =>
    line.replaceAll(/\s+/gu, ' ').trim(),
  ).filter((line) => !/^…|\|/u.test(line));
}

/** Pages, or sections of them, whose shell blocks a test runs as they stand, all of them. */
const whole: readonly (readonly [page: string, test: string, heading?: string])[] = [
  ['docs/tour.md', 'test/long/tour.test.ts'],
  ['docs/first-login.md', 'test/long/tour.test.ts'],
  ['docs/sign-and-stamp.md', 'test/long/tour.test.ts'],
  ['docs/approving.md', 'test/long/tour.test.ts'],
  ['docs/verify-an-export.md', 'test/long/tour.test.ts'],
  ['docs/setup.md', 'test/long/setup.test.ts', 'One machine'],
  ['docs/signed-bytes.md', 'test/e2e/signedBytes.test.ts'],
];

/** Tests that run blocks that are marked, `<!-- tested: name -->`. */
const marked: Readonly<Record<string, readonly string[]>> = {
  'docs/ceremony.md': ['test/long/ceremony.test.ts', 'test/long/issuingCaGenerations.test.ts'],
  'docs/operations.md': ['test/long/operationPages.test.ts', 'test/long/pointInTime.test.ts'],
  'docs/rotation.md': ['test/long/operationPages.test.ts'],
  'docs/operating.md': ['test/long/operationPages.test.ts'],
  'docs/troubleshooting.md': ['test/long/operationPages.test.ts'],
};

/** Other commands, by how they begin: the test that runs them with other parameters, or the reason why none does. */
const single: readonly (readonly [page: string, command: string, test: string])[] = [
  ['README.md', './tamga up', 'test/long/tour.test.ts'],
  ['README.md', './tamga test', 'why: it is what runs this'],
  [
    'client/README.md',
    'npm install',
    'why: the package is not published; its archive is installed',
  ],
  [
    'docs/operations.md',
    'pg_basebackup ',
    'why: it copies no newer server than itself; pointInTime.test.ts asks for what it asks for',
  ],
  ['docs/operations.md', './tamga archive run', 'test/long/archive.test.ts'],
  ['docs/operations.md', './tamga archive list', 'test/long/commands.test.ts'],
  ['docs/operations.md', './tamga archive verify', 'test/long/archive.test.ts'],
  ['docs/operations.md', './tamga archive restore', 'test/long/archive.test.ts'],
  ['docs/rotation.md', 'pkcs11-tool', 'why: it is of the maker of a token, and asks for the PIN'],
  ['docs/rotation.md', './tamga check-config', 'test/long/operationPages.test.ts'],
  ['docs/protect-your-api.md', './tamga oidc add', 'test/long/commands.test.ts'],
  ['docs/events.md', 'curl ', 'why: sharedSignals.test.ts asks the same, as a client of it does'],
  ['docs/failures.md', './tamga drill', 'why: drill.test.ts runs what it runs, in this process'],
  ['docs/failures.md', 'export ', 'why: of developers, with servers of EventStoreDB'],
  [
    'docs/failures.md',
    './tamga test --eventstore',
    'why: of developers, with servers of EventStoreDB',
  ],
  ['docs/failures.md', './tamga bench', 'why: of developers, with servers of EventStoreDB'],
  ['docs/eventstoredb.md', 'curl --cacert', 'why: it needs a cluster of EventStoreDB with TLS'],
  ['docs/eventstoredb.md', 'kubectl ', 'why: it needs a cluster of Kubernetes'],
  [
    'docs/setup.md',
    'kubectl ',
    'why: it needs a cluster of Kubernetes; kubernetes.test.ts renders',
  ],
  ['docs/setup.md', 'tar ', 'why: it needs a cluster of Kubernetes'],
];

/** Commands of a block that no test runs, as far as the tables above know. */
function notRun(page: string, { name, heading, text }: ShownBlock): readonly string[] {
  const ofWhole = whole.find(([each, , section = heading]) => each === page && section === heading);
  if (ofWhole !== undefined) {
    return sourceOf(ofWhole[1]).includes(page) ? [] : [`${page}: not read by ${ofWhole[1]}`];
  }
  if (name !== null) {
    const runs = (test: string) =>
      withSupport(test).includes(page) && sourceOf(test).includes(`'${name}'`);
    return (marked[page] ?? []).some(runs) ? [] : [`${page}: the block ${name}`];
  }
  return commandsOf(text)
    .filter((line) => !single.some(([each, begins]) => each === page && line.startsWith(begins)))
    .map((line) => `${page}: ${line}`);
}

const sourceOf = (path: string) => readFileSync(path, 'utf8');

/** Source of a test, and of the support that it imports, which may read the page. */
const withSupport = (test: string) =>
  sourceOf(test) +
  Array.from(sourceOf(test).matchAll(/'(\.\.\/support\/[^']+)'/gu), ([, path = '']) =>
    sourceOf(join(dirname(test), path)),
  ).join('');

/** Lines of a block that are commands, continued ones joined. */
const commandsOf = (text: string) =>
  text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

/** Fault of a command line against the command table; null: none. */
function faultOf(line: string): string | null {
  const words = line.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  let command: Command = program;
  while (words[0] !== undefined && command.commands.length > 0) {
    // An option right behind a group is one of its default command, `run`.
    const name = words[0].startsWith('-') ? 'run' : words.shift();
    const named = command.commands.find((each) => each.name() === name);
    if (named === undefined) return `no command ${name ?? ''}`;
    command = named;
  }
  const options = words.filter((word) => /^--?[a-z]/.test(word));
  const unknown = options
    .map((word) => word.split('=')[0] ?? '')
    .filter((word) => !command.options.some(({ short, long }) => word === short || word === long));
  return unknown.length === 0 ? null : `no option ${unknown.join(', ')}`;
}

describe('O11: the command lines on the pages', () => {
  it('are commands and options that there are', () => {
    const faults = pages.flatMap((page) =>
      commandLines(page).flatMap((line) => {
        const fault = faultOf(line);
        return fault === null ? [] : [`${page}: ./tamga ${line}: ${fault}`];
      }),
    );
    expect(faults.join('\n')).to.equal('');
  });

  it('in sentences are commands and options that there are', () => {
    const faults = pages.flatMap((page) =>
      mentioned(page).flatMap((line) => {
        const fault = faultOf(line);
        return fault === null ? [] : [`${page}: ./tamga ${line}: ${fault}`];
      }),
    );
    expect(faults.join('\n')).to.equal('');
  });

  it('are run by a test, each, or it is said why not', () => {
    const faults = pages.flatMap((page) =>
      shownBlocks(page).flatMap((block) => notRun(page, block)),
    );
    expect(faults.join('\n')).to.equal('');
  });

  it('are run by the test that is named', () => {
    const gone = single.filter(([, command, test]) => {
      if (test.startsWith('why: ')) return false;
      const words = command.replace('./tamga ', '').split(' ');
      return !new RegExp(words.join(String.raw`\W+`), 'u').test(sourceOf(test));
    });
    expect(gone).to.deep.equal([]);
    const unused = single.filter(
      ([page, begins]) =>
        !shownBlocks(page).some(({ text }) =>
          commandsOf(text).some((line) => line.startsWith(begins)),
        ),
    );
    expect(unused).to.deep.equal([]);
  });

  it('would be missed by no page', () => {
    const block = {
      name: null,
      heading: '',
      text: './tamga archive list\n./tamga rebuild x \\\n  y\n',
    };
    expect(notRun('docs/operations.md', block)).to.deep.equal([
      'docs/operations.md: ./tamga rebuild x    y',
    ]);
    expect(notRun('docs/operations.md', { ...block, name: 'none' })).to.deep.equal([
      'docs/operations.md: the block none',
    ]);
    expect(notRun('docs/new.md', block)).to.have.length(2);
  });

  it('are many', () => {
    expect(pages.flatMap(commandLines)).to.have.length.greaterThan(30);
  });

  it('would be found out', () => {
    expect(faultOf('audit exprot x')).to.equal('no command exprot');
    expect(faultOf('audit verify x --rot y')).to.equal('no option --rot');
  });

  it('on a tutorial show an example of the library that is tested', () => {
    const blockOf = (page: string) =>
      /<!-- example: login-and-signature\.mjs.*-->\n\n```js\n([\s\S]*?)```/.exec(
        readFileSync(page, 'utf8'),
      )?.[1] ?? '';
    const shown = blockOf('docs/first-login.md').trim();
    expect(shown).to.include('validateAuth');
    const [, imported = '', program = ''] = /^import \{(.*)\} from.*\n([\s\S]*)$/.exec(shown) ?? [];
    expect(blockOf('client/README.md')).to.include(program);
    for (const name of imported.split(',')) expect(program).to.include(name.trim());
  });
});
