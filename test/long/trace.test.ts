import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { built } from '../support/programs/tamgaProgram.ts';
import { run } from '../support/programs/tools.ts';

/** Files by flow as `./tamga trace` prints them: those before the answer, and all. */
function parse(printed: string) {
  return new Map(
    printed.split('\n\n').map((text) => {
      const [title = '', ...lines] = text.split('\n');
      const all = lines
        .filter((line) => line.startsWith('  '))
        .flatMap((line) => {
          const [folder = '', names = ''] = line.trim().split(': ');
          return names.split(', ').map((name) => `${folder}/${name}`);
        });
      const before = all.filter((file) => !file.endsWith('*'));
      return [title.slice(0, title.indexOf(':')), { title, before, all }] as const;
    }),
  );
}

/** Files that each flow enters at most, before its answer and in all, as docs/flows.md says. */
function bounds(): ReadonlyMap<string, readonly [before: number, all: number]> {
  const rows = readFileSync('docs/flows.md', 'utf8').matchAll(
    /^\| `(\w+)` +\| (\d+) +\| (\d+) +\|/gm,
  );
  return new Map(
    Array.from(rows, ([, name = '', before, all]) => [name, [Number(before), Number(all)]]),
  );
}

function expectBounded(
  name: string,
  { before, all }: { readonly before: readonly string[]; readonly all: readonly string[] },
): void {
  const [mostBefore = 0, most = 0] = bounds().get(name) ?? [];
  expect(before.length, `${name}: ${before.join(', ')}`).to.be.at.most(mostBefore);
  expect(all.length, `${name}: ${all.join(', ')}`).to.be.at.most(most);
}

describe('`./tamga trace`', function () {
  this.timeout(300_000);

  it('names what each flow enters, before and after its answer, nothing of who asks, and ends', async () => {
    // Bundled, the program has no files to tell apart.
    const { code, output } = await run(process.execPath, join(built, 'main/cli/tamga.js'), 'trace');

    expect(code, output).to.equal(0);
    const traces = parse(output);
    const entered: readonly (readonly [string, string])[] = [
      ['start', 'application/session/startSession'],
      ['cycle', 'application/device/sessionAnswer'],
      ['seal', 'application/seal/seal'],
      ['approval', 'application/approval/decideApproval'],
      ['code', 'infrastructure/oidc/provider'],
    ];
    expect([...traces.keys()]).to.deep.equal(entered.map(([name]) => name));
    for (const [name, file] of entered) {
      const { title = '', before = [], all = [] } = traces.get(name) ?? {};
      expect(before, name).to.include(file);
      expect(all.filter((each) => /^(main\/cli|client|apps|test)\//.test(each))).to.deep.equal([]);
      const counts = [...title.matchAll(/(\d+) files, \d+ functions/g)].map(([, files]) => files);
      expect(counts.map(Number), name).to.deep.equal([before.length, all.length]);
    }
    for (const [name, files] of traces) expectBounded(name, files);
    const { before = [], all = [] } = traces.get('approval') ?? {};
    expect(all.join(' ')).to.include('infrastructure/crl/revocationListBuilder');
    expect(before.length).to.be.below(all.length);
  });
});
