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

/** A window of a page in one theme. */
export interface Look {
  readonly width: number;
  /** Omitted: that of the page. */
  readonly theme?: 'light' | 'dark';
  /** Held to all rules of accessibility; otherwise to those that theme and width decide, where these are given. */
  readonly axe: boolean;
}

/**
 * Looks at each page of a walk in a language: both themes and widths in the page that is loaded, so that all pages are
 * seen in all eight. Of the rules of accessibility most depend on what is on the page alone, and are asked once in each
 * language, at one width in one and at the other in the other.
 */
export const looksIn: Readonly<Record<Language, readonly [Look, ...Look[]]>> = {
  mn: [
    { width: 1440, theme: 'light', axe: true },
    { width: 360, theme: 'light', axe: false },
    { width: 360, theme: 'dark', axe: false },
    { width: 1440, theme: 'dark', axe: false },
  ],
  en: [
    { width: 1440, theme: 'dark', axe: false },
    { width: 360, theme: 'dark', axe: true },
    { width: 360, theme: 'light', axe: false },
    { width: 1440, theme: 'light', axe: false },
  ],
};

/** Rules that theme or width decide. */
const rulesOfLooks = [
  ...['color-contrast', 'link-in-text-block', 'target-size', 'scrollable-region-focusable'],
];

/** Resizes the window of a loaded page, changes its theme, waits until it is at rest, expects it to fit and to be accessible as far as the look says. */
export async function expectLook(page: Page, name: string, look: Look): Promise<void> {
  const { width, theme, axe } = look;
  if (theme !== undefined) await changeTheme(page, theme);
  await page.setViewportSize({ width, height: width < 600 ? 780 : 900 });
  await settled(page);
  expect(await overflow(page), `${name} is wider than ${width} px`).to.equal(0);
  if (axe) await expectAccessible(page);
  else if (theme !== undefined) await expectAccessible(page, rulesOfLooks);
}

/** Changes the theme of the system; the console follows it a moment later. */
async function changeTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  const other = theme === 'light' ? 'dark' : 'light';
  await page.locator(`html:not([data-mantine-color-scheme=${other}])`).waitFor();
}

/** Pixels the page is wider than its window. */
function overflow(page: Page): Promise<number> {
  return page.evaluate<number>(
    'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)',
  );
}

/** Expects each page to fit its window and to be accessible in both themes and widths; it is left as it was. @param pages what they are called on pictures */
export function looksAt(
  page: Page,
  pages: string,
  language: Language,
): (name: string) => Promise<void> {
  const { theme: colorScheme, width: first } = firstLook[language];
  return async (name) => {
    // The elements are there before the style sheets may be.
    await page.waitForLoadState('load');
    for (const look of looksIn[language]) {
      await expectLook(page, name, look);
      await picture(page, `${pages}-${name}-${language}-${look.theme ?? ''}-${look.width}`);
    }
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: first, height: 900 });
  };
}
