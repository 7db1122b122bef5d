import type { Page } from 'playwright-core';
import { settled } from './settledPage.ts';

/** Response as the network brought it. */
export interface Transfer {
  readonly path: string;
  /** Header and body in its coding, bytes. */
  readonly bytes: number;
}

/**
 * Responses that a browser with an empty cache gets until the page is at rest, the largest first.
 *
 * @param open leads the tab to the page
 */
export async function transferred(page: Page, open: () => Promise<void>): Promise<Transfer[]> {
  const debugging = await page.context().newCDPSession(page);
  const paths = new Map<string, string>();
  const found: Transfer[] = [];
  debugging.on('Network.requestWillBeSent', ({ requestId, request }) => {
    paths.set(requestId, new URL(request.url).pathname);
  });
  debugging.on('Network.loadingFinished', ({ requestId, encodedDataLength: bytes }) => {
    found.push({ path: paths.get(requestId) ?? '', bytes });
  });
  await debugging.send('Network.enable');
  await debugging.send('Network.setCacheDisabled', { cacheDisabled: true });
  await open();
  await settled(page);
  await page.waitForLoadState('networkidle');
  await debugging.detach();
  return found.sort((one, other) => other.bytes - one.bytes);
}

/** Sum in kilobytes of 1000 bytes. */
export function kilobytesOf(transfers: readonly Transfer[]): number {
  return transfers.reduce((sum, { bytes }) => sum + bytes, 0) / 1000;
}
