import { expect } from 'chai';
import { createSweep } from '../../application/reactors/sweep.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { everybodyActive } from '../support/doubles/memoryPorts.ts';

describe('A sweep', () => {
  it('reaches the pages behind one in which something fails, tells of it once, and tries again', async () => {
    const items = Array.from({ length: 450 }, (_, index) => index);
    const done: number[] = [];
    const failures: unknown[] = [];
    const sweep = createSweep(
      'test',
      {
        page: (limit, after: number | null) =>
          Promise.resolve(items.filter((item) => item > (after ?? -1)).slice(0, limit)),
        each: (item) => {
          done.push(item);
          return item === 3 ? Promise.reject(new Error('for ever')) : Promise.resolve();
        },
      },
      {
        leaderLock: everybodyActive,
        onFailure: (_name, cause) => failures.push(cause),
        everyMs: 20,
      },
    );
    sweep.start();
    await eventually(() => expect(done.filter((item) => item === 449)).to.have.length.above(2));
    await sweep.stop();
    expect(failures).to.have.length(1);
  });
});
