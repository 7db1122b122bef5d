import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { demoCitizens } from '../../main/cli/demo.ts';
import { generatedPages } from '../../main/cli/documentation.ts';
import { templateOrigin, templateOriginFile } from '../../main/cli/pageTemplate.ts';
import { templateFile } from '../../infrastructure/pdf/pageTemplate.ts';

describe('The generated pages of docs/', () => {
  for (const [path, content] of Object.entries(generatedPages)) {
    it(`${path} is what ./tamga docs writes`, () => {
      expect(readFileSync(path, 'utf8')).to.equal(content());
    });
  }
});

describe('The page that validation pages begin as', () => {
  it('was drawn by ./tamga docs from the layout, the fonts and the program there are now', () => {
    expect(readFileSync(templateOriginFile, 'utf8')).to.equal(
      templateOrigin(readFileSync(templateFile)),
    );
  });
});

describe('The demo accounts', () => {
  it('are those of the demo civil registry', () => {
    const registry = readFileSync('infrastructure/registry/demo/civil-registry.csv', 'utf8');
    for (const { civilId, regNo, name, cardNumber, birthDate } of demoCitizens) {
      const line = registry.split('\n').find((each) => each.startsWith(civilId)) ?? '';
      for (const value of [regNo.toUpperCase(), ...name.split(' '), cardNumber, birthDate]) {
        expect(line).to.contain(value);
      }
    }
  });

  it('have a variable each', () => {
    const variables = demoCitizens.map(({ variable }) => variable);
    expect(new Set(variables).size).to.equal(variables.length);
  });
});
