import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { scenarios } from '../../bench/scenarios.ts';

/** Scenarios that need what is not on every machine; they say so themselves. */
const elsewhere = ['P22'];

/** The bench as a user runs it, in its smallest size: the figures mean nothing, but each scenario comes to its end. */
describe('Every scenario of the bench', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-bench-test-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  for (const { id, title } of scenarios.filter(({ id }) => !elsewhere.includes(id))) {
    it(`measures ${id}, ${title}`, async function () {
      this.timeout(180_000);
      const json = join(directory, `${id}.json`);
      const parameters = ['dist/cli/tamga.js', 'bench', id, '--quick', '--json', json];
      await promisify(execFile)(process.execPath, parameters).catch((error: unknown) => {
        throw new Error(String((error as { stderr?: string }).stderr), { cause: error });
      });
      const { scenarios: reports, failed } = JSON.parse(await readFile(json, 'utf8')) as {
        readonly scenarios: readonly { readonly rows: readonly unknown[] }[];
        readonly failed: readonly string[];
      };
      expect(failed).to.deep.equal([]);
      expect(reports[0]?.rows).to.be.an('array').that.is.not.empty;
    });
  }
});
