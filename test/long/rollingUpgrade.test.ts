import { expect } from 'chai';
import { runDrill } from '../../main/drill/drill.ts';
import { formerRelease } from '../support/programs/formerRelease.ts';
import { tamgaProgram } from '../support/programs/tamgaProgram.ts';

/** Cycles begun a second, halved on a machine that is too busy. */
const RATE = 25;

describe('Seven processes behind a balancer, restarted one by one under load', function () {
  // Four times seven starts: two minutes where the machine has nothing else to do.
  this.timeout(600_000);

  it('fail no request and lose no fact: the same release, the former one, this one again', async () => {
    const former = await formerRelease();
    if ('missing' in former) console.log(`      ${former.missing}`);
    const report = await runDrill({
      releases: {
        current: { program: tamgaProgram(), settings: { SVC_DRAIN_SECONDS: '3' } },
        ...('program' in former && { former: { program: former.program, settings: {} } }),
      },
      perSecond: RATE,
      short: true,
      only: ['restart', 'back', 'upgrade'],
      onRow: () => undefined,
    });
    for (const row of report.rows.filter(({ skipped }) => skipped === null)) {
      const { kinds, wrong, lost } = row;
      expect({ kinds, wrong, lost }, row.fault).to.deep.equal({ kinds: {}, wrong: [], lost: 0 });
    }
    console.log(`      ${report.perSecond} cycles a second`);
  });
});
