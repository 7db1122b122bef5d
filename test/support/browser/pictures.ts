import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Folder for pictures of pages; none are taken without it. */
const folder = process.env['TAMGA_SCREENSHOTS'];

/** Leaves a picture of the whole page, `<name>.png`, in the folder named by `TAMGA_SCREENSHOTS`. */
export async function picture(page: Page, name: string): Promise<void> {
  if (folder === undefined) return;
  await page.screenshot({ path: join(folder, `${name.replaceAll('/', '-')}.png`), fullPage: true });
}
