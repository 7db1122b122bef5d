import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { longestFirst } from '../../main/cli/test.ts';

describe('The tests that a run begins with', () => {
  it('are files and folders that exist', () => {
    const gone = longestFirst.filter(
      (each) => !existsSync(`test/${each}`) && !existsSync(`test/${each}.test.ts`),
    );
    expect(gone).to.deep.equal([]);
  });
});
