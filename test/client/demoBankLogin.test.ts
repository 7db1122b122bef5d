import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../support/chromium.ts';
import { type DemoBankWorld, startDemoBankWorld, watch } from '../support/demoBankWorld.ts';

/** Where pictures of the pages are left to be looked at. */
const PICTURES = join('dist', 'test-artefacts', 'demo-bank');

describe('Demo Bank', function () {
  this.timeout(120_000);
  let browser: Browser;
  let world: DemoBankWorld;
  let stop = (): Promise<void> => Promise.resolve();

  before(async function () {
    const launched = await launchChromium();
    if (launched === null) {
      console.log('    chromium is missing (package chromium): skipped');
      this.skip();
    }
    browser = launched;
    stop = () => browser.close();
    await mkdir(PICTURES, { recursive: true });
    world = await startDemoBankWorld();
    stop = async () => {
      await browser.close();
      await world.stop();
    };
    await world.enrolAnswering('110000000001');
  });

  after(() => stop());

  async function open(locale = 'en-GB'): Promise<{ page: Page; complaints: readonly string[] }> {
    const context = await browser.newContext({ locale, viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    const { complaints } = watch(page, world.demo.service.origin);
    await page.goto(world.address);
    return { page, complaints };
  }

  it('logs a citizen in by push, and shows the calls it made', async () => {
    const { page, complaints } = await open();
    await page.screenshot({ path: join(PICTURES, 'login.png') });
    await page.getByLabel('Registration number').fill('110000000001');
    await page.getByRole('button', { name: 'Send to my phone' }).click();
    await page.screenshot({ path: join(PICTURES, 'wait.png') });
    await page.getByRole('heading', { name: 'Good day' }).waitFor();
    await page.screenshot({ path: join(PICTURES, 'account.png'), fullPage: true });
    const panel = page.getByRole('complementary');
    expect(await panel.textContent()).to.contain(
      '/v3/authentication/notification/etsi/110000000001',
    );
    expect(await page.content()).not.to.contain(world.demo.apiSecret);
    expect(complaints).to.deep.equal([]);
  });
});
