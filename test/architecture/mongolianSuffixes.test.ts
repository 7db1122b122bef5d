import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';

/** Value of a text, `{{name}}`, `{name}` or `${name}`, with a suffix at it. */
const glued = /(?:\{\{\w+\}\}|\$?\{[^{}]*\})-?\p{Script=Cyrillic}/u;

const files = execFileSync('git', [
  'ls-files',
  '-co',
  '--exclude-standard',
  'apps',
  'api',
  'client',
])
  .toString()
  .split('\n')
  .filter((path) => /\.tsx?$/.test(path));

describe('Mongolian texts', () => {
  it('glue no suffix to a value: which one fits, its vowels decide', () => {
    const found = files.flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          glued.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [],
        ),
    );
    expect(files.length).to.be.above(200);
    expect(found).to.deep.equal([]);
  });
});
