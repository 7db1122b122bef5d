import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { buildSite } from '../../apps/site/build.ts';
import { launchChromium, leaveChromium } from '../support/browser/chromium.ts';

/** Faults of the diagrams that a page shows, as an expression for the browser. */
const faultsOfDiagrams = `[...document.querySelectorAll('.diagram')].flatMap((figure) => {
  const frame = figure.getBoundingClientRect();
  const shown = (name) => [...figure.querySelectorAll(name)]
    .map((each) => ({ text: each.textContent, box: each.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0);
  const texts = shown('text');
  const isOver = (one, other) => one.left < other.right - 1 && other.left < one.right - 1
    && one.top < other.bottom - 4 && other.top < one.bottom - 4;
  return [
    ...(texts.length === 0 ? ['shows nothing'] : []),
    ...[...texts, ...shown('rect')]
      .filter(({ box }) => box.left < frame.left - 1 || box.right > frame.right + 1)
      .map(({ text }) => text + ' is cut off'),
    ...texts.flatMap((one, at) => texts.slice(at + 1)
      .filter((other) => isOver(one.box, other.box))
      .map((other) => one.text + ' stands on ' + other.text)),
  ];
})`;

describe('Diagrams of the documentation', function () {
  this.timeout(60_000);
  let directory: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-diagrams-'));
    await buildSite(directory);
  });

  after(() => rm(directory, { recursive: true, force: true }));

  it('fit the page at a desk and on a phone, with no label on another', async function () {
    const files = (await readdir(directory)).filter((file) => file.endsWith('.html'));
    const texts = await Promise.all(files.map((file) => readFile(join(directory, file), 'utf8')));
    const pages = files.filter((_file, at) => texts[at]?.includes('class="diagram"'));
    expect(pages).to.include.members(['architecture.html', 'tour.html']);
    const browser = (await launchChromium(['--allow-file-access-from-files'])) ?? this.skip();
    try {
      const page = await browser.newPage();
      const faults: string[] = [];
      for (const file of pages) {
        await page.goto(pathToFileURL(join(directory, file)).href);
        for (const width of [1440, 360]) {
          await page.setViewportSize({ width, height: 900 });
          const found = await page.evaluate<string[]>(faultsOfDiagrams);
          faults.push(...found.map((fault) => `${file}, ${width} px: ${fault}`));
        }
      }
      expect(faults.join('\n')).to.equal('');
    } finally {
      await leaveChromium(browser);
    }
  });
});
