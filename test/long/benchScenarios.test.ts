import { expect } from 'chai';
import pg from 'pg';
import { scenarios } from '../bench/scenarios.ts';
import { runScenario } from '../bench/support/bench.ts';
import { renderReport } from '../bench/support/report.ts';

describe('Each scenario of the bench, run once and small', function () {
  this.timeout(300_000);

  for (const scenario of scenarios) {
    it(`${scenario.id} ${scenario.title}: each row has a figure`, async function () {
      const { INT8, JSON: json, JSONB } = pg.types.builtins;
      const parsers = () =>
        [INT8, json, JSONB].map((type) => pg.types.getTypeParser(type) as unknown);
      const before = parsers();
      const report = await runScenario(scenario, {
        rounds: 1,
        wakes: 100,
        quick: true,
        progress: () => undefined,
      });
      expect(parsers(), 'how other clients of the process read types').to.deep.equal(before);
      if (report.rows.length === 0) {
        expect(report.notes, 'why nothing was measured').not.to.be.empty;
        process.stdout.write(`skipped: ${scenario.id}: ${report.notes.join(' ')}\n`);
        this.skip();
      }
      for (const { measure, subject, peer } of report.rows) {
        for (const { name, value } of [subject, ...(peer === null ? [] : [peer])]) {
          expect(Number.isFinite(value), `${measure} of ${name}: ${value}`).to.equal(true);
        }
      }
      expect(renderReport(report)).to.include(scenario.title);
    });
  }
});
