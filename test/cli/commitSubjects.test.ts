import { expect } from 'chai';
import { longSubjects } from '../../main/cli/commitSubjects.ts';

describe('Commit subjects', () => {
  it('are reported with their commit when longer than 72 characters', () => {
    const long = `0a1b2c3 ${'x'.repeat(73)}`;
    const log = [long, `1a1b2c3 ${'x'.repeat(72)}`, '2a1b2c3 fix: a', ''].join('\n');
    expect(longSubjects(log)).to.deep.equal([long]);
  });
});
