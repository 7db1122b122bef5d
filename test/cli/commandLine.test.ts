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
    ['a missing argument', ['forget', '--yes'], /missing required argument 'civilId'/],
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

  for (const parameters of [[], ['--help'], ['audit', '--help']]) {
    it(`tells what there is: tamga ${parameters.join(' ')}`, async () => {
      const { code, output } = await tamga(...parameters);
      expect(output).to.match(/^Usage: tamga/);
      expect(code).to.equal(0);
    });
  }
});
