import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { qrSvg } from '../../../client/browser/index.ts';
import type { EidClient } from '../../../client/index.ts';
import { type GivenPages, givenPages } from '../given/givenPages.ts';
import { picture } from '../browser/pictures.ts';
import type { Settings } from '../installation/serviceProcess.ts';

/** The whole program, one Chromium, and a relying party that uses the client library. */
export interface PhoneWorld extends Omit<GivenPages, 'client' | 'leave' | 'visit'> {
  readonly client: EidClient;
  /** A browser of its own, shared with nobody: English, light, 360 px wide unless told otherwise. */
  visit(options?: BrowserContextOptions): Promise<Page>;
  /** Leaves a picture of the page. */
  picture(page: Page, name: string): Promise<void>;
  /** A picture of the QR code of this text, PNG. */
  qrPicture(text: string): Promise<Buffer>;
  /** Expects that no page complained or asked another origin for anything. */
  expectNoFaults(): void;
}

/** Lets a browser of this world watch for complaints and for requests to others. */
function watch(context: BrowserContext, origin: string, faults: string[]): void {
  context.on('console', (message) => {
    // Chromium reports every refused call so; what the page makes of it is what tests look at.
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (!isRefusal) faults.push(message.text());
  });
  context.on('weberror', (error) => faults.push(error.error().message));
  context.on('request', (request) => {
    const address = request.url();
    const isOwn = address.startsWith(`${origin}/`) || address.startsWith('blob:');
    if (!isOwn && !request.isNavigationRequest()) faults.push(`asked for ${address}`);
  });
}

/** @param args further switches of Chromium @returns null without Chromium */
export async function openPhoneWorld(
  settings: Settings = {},
  args: readonly string[] = [],
): Promise<PhoneWorld | null> {
  const world = await givenPages({ settings }, args);
  if (world === null) return null;
  const { browser, origin } = world;
  const trust = await world.service.writeTrustFiles(join(world.directory, 'trust'));
  const faults: string[] = [];

  async function visit(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({
      locale: 'en-GB',
      timezoneId: 'Asia/Ulaanbaatar',
      reducedMotion: 'reduce',
      viewport: { width: 360, height: 740 },
      ...options,
    });
    context.setDefaultTimeout(20_000);
    watch(context, origin, faults);
    return context.newPage();
  }

  return {
    ...world,
    visit,
    client: world.client({
      trust: {
        trustAnchorsPem: await readFile(trust.anchorsPem, 'utf8'),
        intermediatesPem: await readFile(trust.intermediatesPem, 'utf8'),
      },
    }),
    picture: (page, name) => picture(page, `phone-${name}`),
    qrPicture: async (text) => {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.setContent(qrSvg(text, { size: 320 }));
      const png = await page.locator('svg').screenshot();
      await context.close();
      return png;
    },
    expectNoFaults: () => {
      expect(faults.splice(0)).to.deep.equal([]);
    },
  };
}
