import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { contextsGivenBack } from './visitors.ts';

/** Switches of every Chromium: pages live too short for code to be optimised, or collected beside what runs, at a gain. */
const ALWAYS = [
  ...['--no-sandbox', '--disable-gpu'],
  '--js-flags=--no-opt --no-maglev --single-threaded',
  // A camera and a microphone are there, which no page may use.
  '--use-fake-device-for-media-stream',
];

/** The Chromium of this process; it ends with the process. */
let shared: Browser | undefined;

/**
 * Debian's Chromium, or null without one. Suites of a process share one and take contexts of their own; with
 * further switches it is started for the caller. To be given back with {@link leaveChromium}.
 *
 * @param args further switches
 */
export async function launchChromium(args: readonly string[] = []): Promise<Browser | null> {
  const directories = (process.env['PATH'] ?? '').split(delimiter);
  // The headless shell needs 40 % less processor time.
  const executablePath = ['chromium-headless-shell', 'chromium']
    .flatMap((program) => directories.map((directory) => join(directory, program)))
    .find((path) => existsSync(path));
  if (executablePath === undefined) return null;
  const launch = () => chromium.launch({ executablePath, args: [...ALWAYS, ...args] });
  if (args.length > 0) return launch();
  if (shared?.isConnected() !== true) shared = await launch();
  return shared;
}

/** Closes the contexts of a suite in the shared browser but those it gave back, or a browser of its own. */
export async function leaveChromium(browser: Browser): Promise<void> {
  if (browser !== shared) return browser.close();
  const emptied = contextsGivenBack(browser);
  const left = browser.contexts().filter((context) => !emptied.includes(context));
  await Promise.all(left.map((context) => context.close()));
}
