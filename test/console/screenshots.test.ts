import { readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import {
  type ConsoleWorld,
  expectAccessible,
  openConsoleWorld,
  type Setup,
} from '../support/consoleWorld.ts';
import { populate } from '../support/populatedConsole.ts';
import { settled } from '../support/settledPage.ts';

/** A page of the walk. */
interface Stop {
  /** Of the pictures. */
  readonly name: string;
  readonly path: string | ((page: Page) => Promise<string>);
  /** Who looks; a SUPER_ADMIN unless said otherwise, nobody for `null`. */
  readonly as?: null;
  /** What is done on the page before it is looked at. */
  readonly then?: (page: Page) => Promise<void>;
}

/** Every page of the console. A new page is a row here. */
const stops: readonly Stop[] = [
  { name: 'login', path: '/login', as: null },
  { name: 'dashboard', path: '/' },
  { name: 'statistics', path: '/statistics' },
  { name: 'relying-parties', path: '/relying-parties' },
  { name: 'relying-parties-none', path: '/relying-parties?q=nothing+is+called+so' },
  { name: 'relying-party', path: firstRow('/relying-parties') },
  { name: 'relying-parties-new', path: '/relying-parties/new' },
  { name: 'citizens', path: '/citizens' },
  { name: 'citizen', path: firstRow('/citizens') },
  { name: 'devices', path: '/devices' },
  { name: 'device', path: firstRow('/devices') },
  { name: 'certificates', path: '/certificates' },
  { name: 'certificate', path: firstRow('/certificates') },
  { name: 'sessions', path: '/sessions' },
  { name: 'session', path: firstRow('/sessions') },
  { name: 'audit', path: '/audit' },
  { name: 'audit-entry', path: firstRow('/audit') },
  { name: 'audit-tree', path: '/audit/tree' },
  { name: 'organizations', path: '/organizations' },
  { name: 'organization', path: firstRow('/organizations') },
  { name: 'organizations-new', path: '/organizations/new' },
  { name: 'approvals', path: '/approvals' },
  { name: 'assistant', path: '/assistant' },
  { name: 'knowledge', path: '/knowledge' },
  { name: 'knowledge-article', path: firstRow('/knowledge') },
  { name: 'knowledge-new', path: '/knowledge/new' },
  { name: 'knowledge-prompts', path: '/knowledge/prompts' },
  { name: 'system', path: '/system' },
  { name: 'admins', path: '/admins' },
  { name: 'admins-add', path: '/admins', then: pressFirst('main button') },
  { name: 'account', path: '/account' },
  { name: 'not-found', path: '/nothing/here' },
];

/** The address of the first row of a list. */
function firstRow(list: string) {
  return async (page: Page) => {
    await page.goto(new URL(list, page.url()).href);
    const link = page.locator('tbody a').first();
    await link.waitFor();
    return (await link.getAttribute('href')) ?? list;
  };
}

function pressFirst(selector: string) {
  return async (page: Page) => {
    await page.locator(selector).first().click();
    await page.getByRole('dialog').waitFor();
  };
}

const setups: readonly Required<Setup>[] = [
  { language: 'mn', theme: 'light', width: 1280 },
  { language: 'en', theme: 'dark', width: 1280 },
  { language: 'en', theme: 'light', width: 360 },
  { language: 'mn', theme: 'dark', width: 360 },
];

/** Where pictures are written; none without it. */
const folder = process.env['TAMGA_SCREENSHOTS'];

describe('Every page of the console', function () {
  this.timeout(300_000);
  let world: ConsoleWorld;

  before(async function () {
    const opened = await openConsoleWorld({ SVC_AI_SEED_KNOWLEDGE: 'true' });
    if (opened === null) return this.skip();
    world = opened;
    await populate(world);
  });

  afterEach(() => world.leave());
  after(() => world.stop());

  for (const setup of setups) {
    const { language, theme, width } = setup;
    it(`is accessible and fits its window: ${language}, ${theme}, ${width} px`, async () => {
      const somebody = await world.as('SUPER_ADMIN', setup);
      const nobody = await world.visit(setup);
      await somebody.open('/');
      for (const { name, path, as, then } of stops) {
        const { page, open } = as === null ? nobody : somebody;
        await open(typeof path === 'string' ? path : await path(page));
        await settled(page);
        await then?.(page);
        await expectAccessible(page);
        expect(await overflow(page), `${name} scrolls sideways`).to.be.at.most(0);
        if (folder !== undefined) await picture(page, `${name}-${language}-${theme}-${width}`);
      }
    });
  }

  it('stays within its budgets of bytes and of time to the first paint.', async () => {
    const { page, open } = await world.as('AUDITOR');
    const loaded = new Set<string>();
    page.on('request', (request) => loaded.add(new URL(request.url()).pathname));
    await open('/');
    await settled(page);
    const paint = await page.evaluate(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
    );
    const scripts = [...loaded].filter((path) => path.endsWith('.js'));
    const styles = [...loaded].filter((path) => path.endsWith('.css'));
    const sizes = { scripts: compressed(scripts), styles: compressed(styles) };
    const all = readdirSync('dist/console/assets').map((name) => `/assets/${name}`);
    console.log(
      `      the dashboard: ${kilobytes(sizes.scripts)} kB of scripts, ${kilobytes(sizes.styles)} kB of styles, ` +
        `first contentful paint after ${Math.round(paint)} ms; every page: ${kilobytes(compressed(all.filter((path) => path.endsWith('.js'))))} kB of scripts (gzip)`,
    );
    expect(kilobytes(sizes.scripts)).to.be.below(420);
    expect(kilobytes(sizes.styles)).to.be.below(60);
    expect(paint).to.be.within(1, 5000);
  });
});

const kilobytes = (bytes: number) => Math.round(bytes / 1000);

function compressed(paths: readonly string[]): number {
  return paths.reduce(
    (sum, path) => sum + gzipSync(readFileSync(join('dist/console', path))).length,
    0,
  );
}

/** Pixels the page is wider than its window. */
function overflow(page: Page): Promise<number> {
  return page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
}

async function picture(page: Page, name: string): Promise<void> {
  await mkdir(folder ?? '', { recursive: true });
  await page.screenshot({ path: join(folder ?? '', `${name}.png`), fullPage: true });
}
