import { expect } from 'chai';
import { traceFlows, describeTrace } from '../../bench/trace/trace.ts';

describe('A trace of the demo', function () {
  this.timeout(180_000);

  it('names what each flow enters, before and after its answer, and nothing of who asks', async () => {
    const traces = await traceFlows();

    const of = (name: string) => traces.find((trace) => trace.name === name);
    const entered: readonly (readonly [string, string])[] = [
      ['start', 'application/session/startSession.ts'],
      ['cycle', 'application/device/confirmSession.ts'],
      ['seal', 'application/seal/sealPdf.ts'],
      ['approval', 'application/approval/decideApproval.ts'],
      ['code', 'infrastructure/oidc/provider.ts'],
    ];
    for (const [name, file] of entered) {
      const files = [...(of(name)?.before.keys() ?? [])];
      expect(files, name).to.include(file);
      expect(files.filter((each) => /^(cli|client|phone|test|bench)\//.test(each))).to.deep.equal(
        [],
      );
      expect(of(name)?.all.size).to.be.at.least(files.length);
    }
    const { before, all } = of('approval') ?? { before: new Map(), all: new Map() };
    expect([...all.keys()]).to.include('infrastructure/crl/revocationListBuilder.ts');
    expect(before.size).to.be.below(all.size);
    expect(traces.map(describeTrace).join('\n')).to.match(
      /^start: .*: \d+ files, \d+ functions before/,
    );
  });
});
