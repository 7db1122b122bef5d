import { expect } from 'chai';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expectAccessible, type Setup } from './consoleWorld.ts';

/** Both languages, themes and widths, in four looks. */
export const pageLooks = [
  { language: 'mn', theme: 'light', width: 1280 },
  { language: 'mn', theme: 'dark', width: 360 },
  { language: 'en', theme: 'light', width: 360 },
  { language: 'en', theme: 'dark', width: 1280 },
] as const satisfies readonly Setup[];

/** Expects each page to fit its window and to be accessible, and keeps a picture of it in the directory. */
export function looksAt(
  page: Page,
  directory: string,
  { language, theme, width }: (typeof pageLooks)[number],
): (name: string) => Promise<void> {
  return async (name) => {
    const overflow = await page.evaluate<number>(
      'Math.max(0, document.documentElement.scrollWidth - innerWidth)',
    );
    expect(overflow, `${name} is wider than the window`).to.equal(0);
    await expectAccessible(page);
    const path = join(directory, `${name}-${language}-${theme}-${width}.png`);
    await page.screenshot({ path, fullPage: true });
  };
}
