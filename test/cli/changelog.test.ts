import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readChangelog } from '../../main/cli/release/changelog.ts';
import { describedReleases } from '../../main/cli/release/releaseFiles.ts';
import { compareVersions, semanticVersion } from '../../main/cli/release/semanticVersion.ts';
import { programVersion } from '../../infrastructure/version.ts';

const text = readFileSync('CHANGELOG.md', 'utf8');

/** Headings of Keep a Changelog 1.1.0, in its order. */
const changeKinds = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

describe('The changelog', () => {
  const sections = readChangelog(text);
  const released = sections.flatMap(({ version, date }) =>
    version === null ? [] : [{ version, date }],
  );

  it('wraps its lines at 120 characters', () => {
    const long = text.split('\n').filter((line) => line.length > 120);
    expect(long).to.deep.equal([]);
  });

  it('says which form it has, and begins with what is not released yet', () => {
    expect(text).to.contain('https://keepachangelog.com/en/1.1.0/');
    expect(text).to.contain('https://semver.org/');
    const [first, ...others] = sections.map(({ version }) => version);
    expect(first).to.equal(null);
    expect(others).not.to.include(null);
  });

  it('has the headings of Keep a Changelog, in its order, and something under each', () => {
    for (const { entries } of sections) {
      const kinds = [...entries.keys()];
      expect(changeKinds.filter((kind) => kinds.includes(kind))).to.deep.equal(kinds);
      for (const [kind, under] of entries) expect(under, kind).not.to.deep.equal([]);
    }
  });

  it('has semantic versions, newest first, each with its day', () => {
    const versions = released.map(({ version }) => semanticVersion(version));
    expect([...versions].sort((a, b) => compareVersions(b, a))).to.deep.equal(versions);
    for (const { date } of released) expect(date).to.match(/^\d{4}-\d\d-\d\d$/);
  });

  it('links every version to the description of its surface', () => {
    const links = Array.from(text.matchAll(/^\[([^\]]+)\]: (\S+)$/gm));
    const versions = links.map(([, version]) => version);
    expect(versions).to.deep.equal(sections.map(({ version }) => version ?? 'Unreleased'));
    for (const [, , target = ''] of links) expect(existsSync(target), target).to.equal(true);
  });

  it('knows of no release whose description is not kept, or that the program is older than', () => {
    const described = describedReleases();
    expect(described).to.include.members(released.map(({ version }) => version));
    const newest = semanticVersion(described.at(-1) ?? '');
    expect(compareVersions(semanticVersion(programVersion()), newest)).to.be.at.least(0);
  });
});

describe('readChangelog', () => {
  it('reads versions, days and entries, those of several lines too', () => {
    const [unreleased, first] = readChangelog(
      '# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-01-02\n\n### Added\n\n- One\n  line.\n- Two.\n\n[0.1.0]: x\n',
    );
    expect(unreleased).to.deep.include({ version: null, date: null });
    expect(first).to.deep.include({ version: '0.1.0', date: '2026-01-02' });
    expect(first?.entries.get('Added')).to.deep.equal(['One line.', 'Two.']);
  });

  it('refuses what is none', () => {
    expect(() => readChangelog('## 0.1.0\n')).to.throw('Malformed version heading');
    expect(() => readChangelog('## [Unreleased]\n\n- One.\n')).to.throw('Text without a heading');
    expect(() =>
      readChangelog('## [Unreleased]\n\n### Added\n\n- A.\n\n### Added\n\n- B.\n'),
    ).to.throw('twice');
    expect(() => semanticVersion('1.02.0')).to.throw('Not a semantic version');
  });
});
