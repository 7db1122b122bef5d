import { readFileSync } from 'node:fs';
import { expect } from 'chai';

const pages = ['docs/testing-a-client.md', 'docs/login-adapters.md', 'docs/events.md'];

/** Blocks of a page that are shown from a file; without their indentation, which differs between page and file. */
function shownFrom(page: string): readonly { readonly file: string; readonly block: string }[] {
  const found = readFileSync(page, 'utf8').matchAll(
    /<!-- from: (\S+) -->\s+```ts\n([\s\S]*?)^```$/gm,
  );
  return Array.from(found, ([, file = '', block = '']) => ({ file, block: condensed(block) }));
}

/** Without white space and the commas that a line break adds: lines break elsewhere on a page. */
const condensed = (text: string) => text.replaceAll(/\s+/g, '').replaceAll(/,(?=[)\]}])/g, '');

describe('Examples of the client library on the pages', () => {
  it('stand so in the files that the tests run', () => {
    const shown = pages.flatMap(shownFrom);
    expect(shown).to.have.length(8);
    for (const { file, block } of shown) {
      expect(condensed(readFileSync(file, 'utf8')).includes(block), `${file}: ${block}`).to.equal(
        true,
      );
    }
  });
});
