import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Command } from 'commander';
import { program } from '../../main/cli/program.ts';

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
  const blocks = readFileSync(page, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm);
  return Array.from(blocks, ([, block = '']) => block.replaceAll('\\\n', ' ')).flatMap((block) =>
    Array.from(block.matchAll(/(?<![\w/])\.\/tamga ([^\n|;)&]*)/g), ([, line = '']) =>
      line.replace(/\s#.*$/, '').trim(),
    ),
  );
}

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
    // The import is of what the whole example uses.
    expect(blockOf('client/README.md').startsWith(shown)).to.equal(true);
  });
});
