import type { Page } from 'playwright-core';

/** Page functions used here; the types of the DOM are not available in these files. */
interface Browser {
  readonly document: {
    readonly fonts: { readonly status: string };
    querySelector(selector: string): unknown;
    getAnimations(): readonly Motion[];
  };
}

interface Motion {
  readonly playState: string;
  readonly effect: { getComputedTiming(): { readonly endTime: unknown } } | null;
}

/**
 * Until the page is at rest: nothing is loading, its fonts are there, no transition is under way. Motion without an end,
 * such as three dots of somebody who writes, is part of the page and not waited for.
 *
 * @throws TimeoutError when it does not come to rest
 */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const { document } = globalThis as unknown as Browser;
    const isMoving = ({ playState, effect }: Motion) =>
      playState === 'running' && effect?.getComputedTiming().endTime !== Infinity;
    return (
      document.querySelector('[aria-busy="true"], .mantine-Skeleton-root') === null &&
      document.fonts.status === 'loaded' &&
      !document.getAnimations().some(isMoving)
    );
  });
}
