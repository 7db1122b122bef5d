import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { follow, useConsole } from '../support/worlds/consoleWorld.ts';
import { codesSeen } from '../support/browser/codesSeen.ts';
import { expectLook, firstLook, type Look, looksIn } from '../support/browser/pageLooks.ts';
import { picture } from '../support/browser/pictures.ts';
import { populate } from '../support/installation/populatedConsole.ts';
import { settled } from '../support/browser/settledPage.ts';

/** A page of the walk. */
interface Stop {
  /** Of the pictures. */
  readonly name: string;
  readonly path: string | ((page: Page) => Promise<string>);
  /** Role of the viewer, default SUPER_ADMIN; null: signed out. */
  readonly as?: null;
  /** Shows what surrounds or makes up other pages: accessible at every width in every theme. */
  readonly typical?: true;
  /** Steps on the page before the screenshot. */
  readonly then?: (page: Page) => Promise<void>;
}

/** Dialogs that buttons of these pages open; some depend on what is there. */
const LEAST_DIALOGS = 25;

/** Every page of the console. A new page is a row here. */
const stops: readonly Stop[] = [
  { name: 'login', path: '/login', as: null },
  { name: 'dashboard', path: '/', typical: true },
  { name: 'statistics', path: '/statistics' },
  { name: 'relying-parties', path: '/relying-parties' },
  { name: 'relying-parties-none', path: '/relying-parties?q=nothing+is+called+so' },
  { name: 'relying-party', path: firstRow('/relying-parties') },
  { name: 'relying-parties-new', path: '/relying-parties/new', typical: true },
  { name: 'citizens', path: '/citizens', typical: true },
  { name: 'citizen', path: firstRow('/citizens'), typical: true },
  { name: 'devices', path: '/devices' },
  { name: 'device', path: firstRow('/devices') },
  { name: 'certificates', path: '/certificates' },
  { name: 'certificate', path: firstRow('/certificates') },
  { name: 'sessions', path: '/sessions' },
  { name: 'session', path: firstRow('/sessions') },
  { name: 'identity-verifications', path: '/identity-verifications' },
  { name: 'identity-verification', path: firstRow('/identity-verifications') },
  { name: 'identity-verified', path: firstRow('/identity-verifications?status=VERIFIED') },
  { name: 'audit', path: '/audit' },
  { name: 'audit-entry', path: firstRow('/audit') },
  { name: 'audit-tree', path: '/audit/tree' },
  { name: 'organizations', path: '/organizations' },
  { name: 'organization', path: firstRow('/organizations') },
  { name: 'organizations-new', path: '/organizations/new' },
  { name: 'documents', path: '/documents' },
  { name: 'document', path: firstRow('/documents') },
  { name: 'oidc-clients', path: '/oidc-clients' },
  { name: 'oidc-client', path: firstRow('/oidc-clients') },
  { name: 'oidc-clients-new', path: '/oidc-clients/new' },
  { name: 'approvals', path: '/approvals' },
  { name: 'registers', path: '/registers' },
  { name: 'assistant', path: '/assistant' },
  { name: 'knowledge', path: '/knowledge' },
  { name: 'knowledge-article', path: firstRow('/knowledge') },
  { name: 'knowledge-new', path: '/knowledge/new' },
  { name: 'knowledge-prompts', path: '/knowledge/prompts' },
  { name: 'system', path: '/system' },
  { name: 'admins', path: '/admins' },
  { name: 'admins-add', path: '/admins', then: pressFirst('main button'), typical: true },
  { name: 'admins-role', path: '/admins', then: chooseOfMenu(0) },
  { name: 'admins-deactivate', path: '/admins', then: chooseOfMenu(-1) },
  { name: 'search', path: '/account', then: search },
  { name: 'account', path: '/account' },
  { name: 'not-found', path: '/nothing/here' },
];

/** Tells whether a page replaces the one that is shown; a list searched anew keeps its heading. */
async function canFollow(page: Page, target: string): Promise<boolean> {
  const isLoaded = (await page.getByRole('heading', { level: 1 }).count()) > 0;
  return isLoaded && new URL(target, page.url()).pathname !== new URL(page.url()).pathname;
}

/** The address of the first row of a list, which may be the page before. */
function firstRow(list: string) {
  return async (page: Page) => {
    const { href } = new URL(list, page.url());
    if (page.url() !== href) await page.goto(href);
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

/** Opens the dialog of a command of the menu of the last row, counted from the end where negative. */
function chooseOfMenu(index: number) {
  return async (page: Page) => {
    await page.locator('tbody [aria-haspopup=menu]').last().click();
    await page.getByRole('menuitem').nth(index).click();
    await page.getByRole('menu').waitFor({ state: 'hidden' });
    await page.getByRole('dialog').waitFor();
  };
}

async function search(page: Page) {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
}

/** Opens each dialog of a page in turn, one for all rows of a list, and looks at it. @returns their number */
async function expectDialogs(page: Page, name: string, looks: readonly Look[]): Promise<number> {
  const openers = page.locator('main [aria-haspopup=dialog]:enabled');
  const dialog = page.getByRole('dialog');
  if ((await dialog.count()) > 0) return 0;
  const labels = new Set(await openers.allInnerTexts());
  for (const label of labels) {
    const about = `${name}, ${label}`;
    // A dialog has the place that the window it was opened in left it.
    for (const width of [360, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      // Compares whole labels: one may end as another does ("олгох", "болгох").
      await openers
        .filter({ hasText: new RegExp(`^\\s*${label}\\s*$`) })
        .first()
        .click();
      await dialog.waitFor();
      for (const look of looks.filter((each) => each.width === width)) {
        await expectLook(page, about, look);
      }
      await picture(page, `${name}-dialog-${label.toLowerCase().replaceAll(' ', '-')}-${width}`);
      await dialog.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
    }
  }
  return labels.size;
}

describe('Every page of the console', function () {
  this.timeout(600_000);
  const world = useConsole({
    settings: () => ({ SVC_AI_SEED_KNOWLEDGE: 'true' }),
    prepare: populate,
  });

  for (const language of ['mn', 'en'] as const) {
    const first = firstLook[language];
    it(`is accessible and fits its window in both themes and widths: ${language}`, async () => {
      const somebody = await world().newAs('SUPER_ADMIN', first);
      const nobody = await world().visit(first);
      await somebody.open('/');
      const looks = [...looksIn[language]];
      let dialogs = 0;
      for (const { name, path, as, typical, then } of stops) {
        const { page, open } = as === null ? nobody : somebody;
        const target = typeof path === 'string' ? path : await path(page);
        // Each page is seen loaded at its address in one language, and come to by a link in the other.
        if (language === 'en' && (await canFollow(page, target))) await follow(page, target);
        else await open(target);
        await settled(page);
        await then?.(page);
        for (const look of looks) {
          await expectLook(page, name, { ...look, axe: look.axe || typical === true });
          const scheme = page.locator('html').getAttribute('data-mantine-color-scheme');
          expect(await scheme).to.equal(look.theme);
          await picture(page, `${name}-${language}-${look.theme ?? ''}-${look.width}`);
        }
        // Articles explain results by their codes.
        if (!name.startsWith('knowledge')) {
          expect(await codesSeen(page), name).to.deep.equal([]);
        }
        dialogs += await expectDialogs(page, `${name}-${language}`, looks);
      }
      expect(dialogs).to.be.at.least(LEAST_DIALOGS);
    });
  }

  it('follows the theme of the system while it is open.', async () => {
    const { page, open } = await world().as('SUPER_ADMIN', { theme: 'light' });
    await open('/');
    for (const theme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-mantine-color-scheme=${theme}]`).waitFor();
    }
  });

  it('paints first within its budget of time', async () => {
    const { page, open } = await world().newAs('AUDITOR');
    const paints: number[] = [];
    for (let visit = 0; visit < 3; visit += 1) {
      await open('/');
      await settled(page);
      paints.push(
        await page.evaluate(
          () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
        ),
      );
    }
    // Other load on the machine only adds to it.
    const paint = Math.min(...paints);
    console.log(`      the dashboard: first contentful paint after ${Math.round(paint)} ms`);
    expect(paint).to.be.within(1, 5000);
  });
});
