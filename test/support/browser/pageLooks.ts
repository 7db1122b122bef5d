import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible, type Setup } from '../worlds/consoleWorld.ts';
import { picture } from './pictures.ts';
import { settled } from './settledPage.ts';

/** Settings of a browser at the start of a walk through the pages in this language. */
export const firstLook = {
  mn: { language: 'mn', theme: 'light', width: 1280 },
  en: { language: 'en', theme: 'dark', width: 1280 },
} as const satisfies Readonly<Record<string, Setup>>;

type Language = keyof typeof firstLook;
type Look = Pick<Required<Setup>, 'theme' | 'width'>;

/**
 * Looks at each page, once it is loaded in a language: every pair of language, theme and width is among them. A page's
 * fit depends on words and width, its colours on the theme and on no language.
 */
export const looksIn: Readonly<Record<Language, readonly (Look & { readonly axe: Axe })[]>> = {
  mn: [
    { theme: 'light', width: 1280, axe: 'all' },
    { theme: 'dark', width: 360, axe: 'all' },
  ],
  en: [
    { theme: 'dark', width: 1280, axe: 'words' },
    { theme: 'light', width: 360, axe: 'none' },
  ],
};

/** The rules of accessibility a look is held to: those of colours were seen in the other language. */
type Axe = 'all' | 'words' | 'none';

/** Gives a loaded page another theme and window, as the system and a hand would. */
export async function wear(page: Page, { theme, width }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.setViewportSize({ width, height: width < 600 ? 780 : 900 });
}

/** Pixels the page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>(
    'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)',
  );
}

/** Expects a page at rest to be accessible as far as the look says. */
export async function expectAxe(page: Page, axe: Axe): Promise<void> {
  if (axe !== 'none') await expectAccessible(page, { colors: axe === 'all' });
}

/** Expects each page to fit its window and to be accessible. @param pages what they are called on pictures */
export function looksAt(
  page: Page,
  pages: string,
  language: Language,
): (name: string) => Promise<void> {
  return async (name) => {
    // The elements are there before the style sheets may be.
    await page.waitForLoadState('load');
    for (const look of looksIn[language]) {
      const { theme, width, axe } = look;
      await wear(page, look);
      await settled(page);
      expect(await overflow(page), `${name} is wider than ${width} px`).to.equal(0);
      await expectAxe(page, axe);
      await picture(page, `${pages}-${name}-${language}-${theme}-${width}`);
    }
    await wear(page, firstLook[language]);
  };
}
