import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

/** Reads an answer to its end, however long its sender makes it. */
const unbounded = /\.(?:json|text|arrayBuffer|bytes|formData|blob)\(\)/;

/** Calls of the same name that read no answer of a peer. */
const notOfPeers: readonly string[] = ['infrastructure/archive/archiveFiles.ts'];

/** Server code that talks to others; what runs in browsers reads answers of this service. */
const roots = ['infrastructure', 'main/composition'];

const unboundedIn = (text: string) => text.split('\n').some((line) => unbounded.test(line));

describe('N19: answers of other systems', () => {
  it('are read up to a bound, all of them', () => {
    const files = roots.flatMap((root) =>
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts'))
        .map((path) => join(root, path)),
    );
    const found = files.filter((path) => unboundedIn(readFileSync(path, 'utf8')));
    expect(found, 'read with readUpTo or upTo of infrastructure/boundedBody.ts').to.deep.equal(
      notOfPeers,
    );
  });

  it('would be found out', () => {
    expect(unboundedIn('const body = await response.json();')).to.equal(true);
    expect(unboundedIn('const bytes = await readUpTo(response, MAX_BYTES);')).to.equal(false);
  });
});
