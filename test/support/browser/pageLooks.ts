import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../worlds/consoleWorld.ts';
import type { Setup } from './visitors.ts';
import { picture } from './pictures.ts';
import { settled } from './settledPage.ts';

/** Settings of a browser at the start of a walk through the pages in this language: each theme is seen in one. */
export const firstLook = {
  mn: { language: 'mn', theme: 'light', width: 1440 },
  en: { language: 'en', theme: 'dark', width: 1440 },
} as const satisfies Readonly<Record<string, Setup>>;

type Language = keyof typeof firstLook;

/** A window of a page loaded in one language and theme. */
export interface Look {
  readonly width: number;
  /** Held to the rules of accessibility, not only to fit. */
  readonly axe: boolean;
}

/**
 * Looks at each page of a walk in a language. Words and width decide the fit: every pair of them is looked at.
 * Accessibility depends on theme, width and language, each with the others only through what surrounds all pages: each
 * is looked at once. The theme is the one the page was loaded in, as another costs as much as a page.
 */
export const looksIn: Readonly<Record<Language, readonly Look[]>> = {
  mn: [
    { width: 1440, axe: true },
    { width: 360, axe: false },
  ],
  en: [
    { width: 1440, axe: false },
    { width: 360, axe: true },
  ],
};

/** Resizes the window of a loaded page, waits until it is at rest, expects it to fit and as far as the look says to be accessible. */
export async function expectLook(page: Page, name: string, { width, axe }: Look): Promise<void> {
  await page.setViewportSize({ width, height: width < 600 ? 780 : 900 });
  await settled(page);
  expect(await overflow(page), `${name} is wider than ${width} px`).to.equal(0);
  if (axe) await expectAccessible(page);
}

/** Pixels the page is wider than its window. */
function overflow(page: Page): Promise<number> {
  return page.evaluate<number>(
    'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)',
  );
}

/** Expects each page to fit its window and to be accessible. @param pages what they are called on pictures */
export function looksAt(
  page: Page,
  pages: string,
  language: Language,
): (name: string) => Promise<void> {
  const { theme, width: first } = firstLook[language];
  return async (name) => {
    // The elements are there before the style sheets may be.
    await page.waitForLoadState('load');
    for (const look of looksIn[language]) {
      await expectLook(page, name, look);
      await picture(page, `${pages}-${name}-${language}-${theme}-${look.width}`);
    }
    await page.setViewportSize({ width: first, height: 900 });
  };
}
