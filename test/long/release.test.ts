import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packRelease } from '../../main/cli/release/packRelease.ts';
import { rejection } from '../support/assertions/rejection.ts';

describe('A release that is built twice', function () {
  // Two whole builds.
  this.timeout(1_800_000);
  let directory: string;
  const path = (...names: readonly string[]) => join(directory, ...names);

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-released-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('has the same digests, check sums that hold, and what it was made of', async () => {
    const one = await packRelease(path('one'), 'HEAD');
    const other = await packRelease(path('other'), 'HEAD');
    expect([...one.digests]).to.deep.equal([...other.digests]);
    expect(
      [...one.digests.keys()].map((name) => name.replace(/^tamga-[^a-z]+\./, '')),
    ).to.deep.equal(['tar.gz', 'cdx.json', 'provenance.json']);
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: path('one') });

    const [archive = '', bom = '', provenance = ''] = [...one.digests.keys()];
    const listed = execFileSync('tar', ['-tzf', path('one', archive)], { encoding: 'utf8' });
    expect(listed).to.match(/^tamga-[^/]+\/dist\/main\/cli\/tamga\.js$/m);
    expect(listed).to.not.match(/^tamga-[^/]+\/dist\/test\//m);
    expect(await readFile(path('one', bom), 'utf8')).to.include('pkg:npm/zod@');
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
    const statement = await readFile(path('one', provenance), 'utf8');
    expect(statement).to.include(commit).and.include(one.digests.get(archive));
    const refused = await rejection(packRelease(path('one'), 'HEAD'));
    expect((refused as Error).message).to.include('is not empty');
    expect((await readdir(path('one'))).length).to.equal(4);
  });
});
