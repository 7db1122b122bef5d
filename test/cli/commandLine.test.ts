import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { tamgaProgram } from '../support/programs/tamgaProgram.ts';
import { run } from '../support/programs/tools.ts';

describe('The command line', () => {
  const tamga = (...parameters: readonly string[]) =>
    run(process.execPath, tamgaProgram(), ...parameters);

  const wrong: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['an unknown command', ['serv'], /unknown command 'serv'\n\(Did you mean serve\?\)/],
    ['one unlike any', ['frobnicate'], /unknown command 'frobnicate'\n.*--help/],
    ['an unknown one of a group', ['audit', 'exprot'], /'exprot'\n\(Did you mean export\?\)/],
    ['an unknown option', ['check-config', '--prox'], /unknown option '--prox'\n.*--proxy/],
    ['the beginning of one', ['cert'], /unknown command 'cert'\n\(Did you mean certificate\?\)/],
    [
      'a missing argument',
      ['forget', '--yes'],
      /missing required argument 'civilId'\nUsage: tamga forget \[options\] <civilId>\n/,
    ],
    ['an argument too many', ['migrate', 'now'], /too many arguments[^\n]+\nUsage: tamga migrate/],
    [
      'an option that a group has not',
      ['audit', 'show', 'log.jsonl', '--lang', 'mn'],
      /Usage: tamga audit show \[options\] <file> <id>/,
    ],
  ];
  for (const [what, parameters, told] of wrong) {
    it(`is wrong with ${what}: exit code 2, and what to do`, async () => {
      const { code, output } = await tamga(...parameters);
      expect(output)
        .to.match(told)
        .and.to.match(/--help/);
      expect(code).to.equal(2);
    });
  }

  const failing: readonly (readonly [string, readonly string[], RegExp])[] = [
    [
      'a file that is not there',
      ['audit', 'verify', '/nowhere/log.jsonl'],
      /There is no file or directory \/nowhere\/log\.jsonl \(ENOENT\)\./,
    ],
    [
      'an export without its proofs',
      ['audit', 'verify', process.execPath],
      /\.proofs is missing: .+Name them by --proofs/,
    ],
    [
      'a file that would not be written',
      ['audit', 'export', 'log.jsonl', '--csv'],
      /Name a file or choose --csv/,
    ],
    [
      'an address that is none',
      ['rp', 'register', 'Shop', '--contact-email', 'nobody'],
      /--contact-email: must be an e-mail address/,
    ],
    [
      'a count that is none',
      ['rp', 'register', 'Shop', '--requests-per-minute', 'many'],
      /--requests-per-minute: must be a number/,
    ],
    [
      'a role that is none',
      ['admin', 'add', 'a@b.example', '--role', 'FOO'],
      /--role must be one of SUPER_ADMIN, /,
    ],
  ];
  for (const [what, parameters, told] of failing) {
    it(`says what failed and what to do: ${what}`, async () => {
      const { code, output } = await tamga(...parameters);
      expect(output).to.match(told);
      expect(code).to.equal(1);
    });
  }

  for (const parameters of [[], ['--help'], ['audit', '--help']]) {
    it(`tells what there is: tamga ${parameters.join(' ')}`, async () => {
      const { code, output } = await tamga(...parameters);
      expect(output).to.match(/^Usage: tamga/);
      expect(code).to.equal(0);
    });
  }

  it('ends without complaint where nobody reads what it prints', async () => {
    const command = spawn(process.execPath, [tamgaProgram(), 'check-config']);
    command.stdout.destroy();
    const complaints = text(command.stderr);
    const [code] = (await once(command, 'close')) as [number];
    expect(await complaints).to.equal('');
    expect(code).to.equal(141);
  });
});
