import { expect } from 'chai';
import { runDrill } from '../../main/drill/drill.ts';
import { type DrillReport, drillTable, faultsOf } from '../../main/drill/report.ts';
import { tamgaProgram } from '../support/programs/tamgaProgram.ts';

describe('A drill of faults that other tests have not', function () {
  this.timeout(600_000);
  let report: DrillReport;

  before(async () => {
    report = await runDrill({
      releases: { current: { program: tamgaProgram(), settings: { SVC_DRAIN_SECONDS: '3' } } },
      perSecond: 10,
      short: true,
      only: ['kill-api', 'disk', 'clock', 'clock-worker', 'upgrade'],
      onRow: () => undefined,
    });
  });

  const row = (name: RegExp) => {
    const found = report.rows.find(({ fault }) => name.test(fault));
    if (found === undefined) throw new Error(`There is no row ${String(name)}.`);
    return found;
  };

  it('loses nothing and answers nothing wrong, whatever fails', () => {
    expect(faultsOf(report)).to.deep.equal([]);
  });

  it('fails only what a killed process had begun, and is whole while it is away', () => {
    const { cycles, createsFailed, skipped } = row(/api1 killed/u);
    expect(skipped).to.equal(null);
    expect(createsFailed).to.be.below(cycles / 4);
  });

  it('refuses while a disk is full, and is whole once there is room', function () {
    const { skipped, kinds, createsFailed, lastedSeconds, wholeSeconds } = row(/^Disk/u);
    if (skipped !== null) {
      console.log(`      ${skipped}`);
      this.skip();
    }
    expect(createsFailed).to.be.above(0);
    expect(Object.keys(kinds).every((kind) => /^\w+ 503 /u.test(kind))).to.equal(true);
    expect(wholeSeconds).to.be.below(lastedSeconds + 30);
  });

  it('stops a process whose clock is wrong from judging, until the balancer asks the other', () => {
    const { lastedSeconds, wholeSeconds } = row(/^Clock/u);
    expect(wholeSeconds).to.be.below(lastedSeconds);
  });

  it('shows what it could not try, and why', () => {
    expect(drillTable(report)).to.match(/^\| way back|rolling upgrade .* not tried: no former/mu);
  });
});
