import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const text = readFileSync('docs/flows.md', 'utf8');

/** Files that a section of docs/flows.md names. */
function filesOf(heading: string): readonly string[] {
  const [, after] = text.split(`\n### ${heading}\n`);
  if (after === undefined) throw new Error(`docs/flows.md has no section "${heading}".`);
  const [section = ''] = after.split(/^#{2,3} /m);
  return Array.from(section.matchAll(/`([\w/.]+\.ts)`/g), ([, file]) => file ?? '');
}

const common = ['Every request', 'Every command'];
const walks = [
  'Authentication: start, confirm, poll',
  'A PDF is stamped',
  'A certificate is revoked under four eyes',
  'A citizen logs in with OpenID Connect',
];

describe('The walks of docs/flows.md', () => {
  it('name files that exist', () => {
    const missing = [...common, ...walks].flatMap(filesOf).filter((file) => !existsSync(file));
    expect(missing).to.deep.equal([]);
  });

  for (const walk of walks) {
    it(`name each file once: ${walk}`, () => {
      const files = [...common, walk].flatMap(filesOf);
      const repeated = files.filter((file, index) => files.indexOf(file) !== index);
      expect(files).to.not.have.length(0);
      expect(repeated).to.deep.equal([]);
    });
  }

  it('take an authentication through fewer than 20 files of its own, and as many in all as the page says', () => {
    const own = filesOf('Authentication: start, confirm, poll');
    expect(own.length).to.be.below(20);
    const all = own.length + common.flatMap(filesOf).length;
    expect(text).to.include(`${own.length} files of its own, ${all} with the two lists above.`);
  });
});
