import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { provenanceOf } from '../../main/cli/release/provenance.ts';
import { reproducibleBom } from '../../main/cli/release/softwareBom.ts';

const at = new Date('2026-01-02T03:04:05.000Z');

/** A bill as npm writes it: another number, time and folder each time. */
const written = (serialNumber: string, timestamp: string, folder: string, version = '1.0.0') =>
  JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${serialNumber}`,
    metadata: { timestamp, component: { type: 'application', name: folder } },
    components: [
      { type: 'library', name: 'zod', version, 'bom-ref': 'zod' },
      { name: 'chai', 'bom-ref': 'chai', properties: [{ name: 'cdx:npm:package:development' }] },
    ],
    dependencies: [
      { ref: 'tamga', dependsOn: ['zod', 'chai'] },
      { ref: 'chai', dependsOn: ['zod'] },
    ],
  });

describe('What accompanies a release', () => {
  it('is one bill of materials for one lock file, whatever npm draws and wherever it runs', () => {
    const one = written('799381b8-7371-49b9-987b-bb2075fc1a7b', '2026-05-01T00:00:00Z', 'here');
    const other = written('1c0e2d55-64a1-4b41-9f55-0f6f0e2f6c11', '2026-06-01T00:00:00Z', 'there');
    const fixed = reproducibleBom(one, { name: 'tamga', at });
    expect(fixed).to.equal(reproducibleBom(other, { name: 'tamga', at }));
    const bom = JSON.parse(fixed) as Readonly<Record<string, unknown>>;
    expect(bom).to.deep.include({ bomFormat: 'CycloneDX', specVersion: '1.5' });
    expect(bom['metadata']).to.deep.include({ timestamp: at.toISOString() });
    expect(bom['serialNumber']).to.match(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it('is a bill without development packages, and with all others that the lock file has', () => {
    const { stdout } = spawnSync(
      'npm',
      ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'],
      {
        encoding: 'utf8',
        maxBuffer: 1 << 28,
      },
    );
    const bom = reproducibleBom(stdout, { name: 'tamga', at });
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    for (const [name, version] of Object.entries(dependencies)) {
      expect(bom).to.include(`"pkg:npm/${name.replace('@', '%40')}@${version}"`);
    }
    expect(bom).to.not.include('pkg:npm/chai@');
    const small = reproducibleBom(written('a', 'b', 'c'), { name: 'tamga', at });
    expect((JSON.parse(small) as { readonly dependencies: unknown }).dependencies).to.deep.equal([
      { ref: 'tamga', dependsOn: ['zod'] },
    ]);
  });

  it('is another bill, with another number, for other packages', () => {
    const bomOf = (version: string) =>
      JSON.parse(
        reproducibleBom(written('a', 'b', 'c', version), { name: 'tamga', at }),
      ) as Readonly<Record<string, unknown>>;
    expect(bomOf('1.0.0')['serialNumber']).to.not.equal(bomOf('1.0.1')['serialNumber']);
  });

  it('is a statement of in-toto with the commit, the packages and the digest of each file', () => {
    const files = new Map([
      ['tamga-1.0.0.tar.gz', 'a'.repeat(64)],
      ['tamga-1.0.0.cdx.json', 'b'.repeat(64)],
    ]);
    const gitCommit = 'c'.repeat(40);
    const statement = JSON.parse(
      provenanceOf(files, { gitCommit, lockSha256: 'd'.repeat(64), sourceDate: '1767323045' }),
    ) as Readonly<Record<string, unknown>>;
    expect(statement).to.deep.include({
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: 'https://slsa.dev/provenance/v1',
      subject: Array.from(files, ([name, sha256]) => ({ name, digest: { sha256 } })),
    });
    expect(JSON.stringify(statement['predicate']))
      .to.include(`"digest":{"gitCommit":"${gitCommit}"}`)
      .and.include(`"digest":{"sha256":"${'d'.repeat(64)}"}`);
  });
});
