import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Debian's Chromium; null where it is not installed. @param args further switches */
export async function launchChromium(args: readonly string[] = []): Promise<Browser | null> {
  const executablePath = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((directory) => join(directory, 'chromium'))
    .find((path) => existsSync(path));
  if (executablePath === undefined) return null;
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', ...args] });
}
