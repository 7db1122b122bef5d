import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { buildSite } from '../../apps/site/build.ts';
import { launchChromium, leaveChromium } from '../support/browser/chromium.ts';

/** Width of the text of an A4 page with the browser's margins, in pixels. */
const A4 = 718;

/** Parts of a printed page that a reader of the paper would miss, as an expression for the browser. */
const missing = `[
  ...[...document.querySelectorAll('main, main pre, main .wide, main .diagram')]
    .filter((each) => each.scrollWidth > each.clientWidth + 1 || each.getBoundingClientRect().right > innerWidth)
    .map((each) => 'cut off: ' + each.tagName + ' ' + each.textContent.trim().slice(0, 60)),
  ...[...document.querySelectorAll('main details > :not(summary)')]
    .filter((each) => !each.checkVisibility({ contentVisibilityAuto: true }))
    .map((each) => 'closed: ' + each.textContent.trim().slice(0, 60)),
]`;

describe('A printed page of the documentation', function () {
  this.timeout(60_000);
  let directory: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-print-'));
    await buildSite(directory);
  });

  after(() => rm(directory, { recursive: true, force: true }));

  it('has all that the page has: whole lines of code, diagrams, tables and fields', async function () {
    const browser = (await launchChromium(['--allow-file-access-from-files'])) ?? this.skip();
    try {
      const page = await browser.newPage({ viewport: { width: A4, height: 1000 } });
      await page.emulateMedia({ media: 'print' });
      const faults: string[] = [];
      for (const file of ['tour.html', 'architecture.html', 'configuration.html', 'api/rp.html']) {
        await page.goto(pathToFileURL(join(directory, file)).href);
        const found = await page.evaluate<string[]>(missing);
        faults.push(...found.map((fault) => `${file}: ${fault}`));
      }
      expect(faults.slice(0, 20).join('\n')).to.equal('');
    } finally {
      await leaveChromium(browser);
    }
  });
});
