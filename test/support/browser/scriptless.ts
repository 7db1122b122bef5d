import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';

/** Expects that a page says what to do in a browser that runs no script, and where its scripts do not come. */
export async function expectScriptlessNotices(browser: Browser, address: string): Promise<void> {
  const without = await browser.newContext({ javaScriptEnabled: false });
  const plain = await without.newPage();
  await plain.goto(address);
  const notice = plain.locator('noscript', { has: plain.locator('[lang=en]') });
  await notice.waitFor();
  const said = await notice.innerText();
  expect(said).to.contain('This needs JavaScript').and.contain('JavaScript хэрэгтэй');
  await without.close();

  const context = await browser.newContext();
  const page = await context.newPage();
  await expectMissingNotice(page, async () => {
    await page.goto(address);
  });
  await context.close();
}

/** Expects the notice of a page that `open` leads the tab to, all of whose scripts are blocked. */
export async function expectMissingNotice(page: Page, open: () => Promise<void>): Promise<void> {
  await page.route(/\.js$/, (route) => route.abort());
  await open();
  const notice = page.locator('.scriptless');
  await notice.waitFor({ state: 'attached' });
  const delay =
    "parseFloat(getComputedStyle(document.querySelector('.scriptless')).animationDuration)";
  expect(await page.evaluate<number>(delay), 'no sooner than scripts come, s').to.be.at.least(5);
  await page.evaluate('for (const each of document.getAnimations()) each.finish()');
  await notice.waitFor();
  await page.unroute(/\.js$/);
}
