import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { aParty } from '../support/given/wishes.ts';
import { expectAccessible, useConsole } from '../support/worlds/consoleWorld.ts';

const PARTIES = 30;

describe('Lists and the search in the console', function () {
  this.timeout(120_000);
  const world = useConsole({
    prepare: async ({ demo }) => {
      await demo.enrol('110000000001');
      for (let index = 1; index < PARTIES; index += 1) {
        await demo.service.registerRelyingParty(aParty(`=${index}+1`, ['AUTH']));
      }
    },
  });

  const sorted = (page: Page, way: string) => page.locator(`[aria-sort=${way}]`);

  async function exported(page: Page, kind: string): Promise<string> {
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: kind, exact: true }).click();
    const text = await readFile(await (await downloading).path(), 'utf8');
    await page.getByText(`${PARTIES} rows exported`).waitFor();
    return text;
  }

  it('have as many rows on a page as are wanted, and lead through them by keyboard', async () => {
    const { page, open } = await world().as('RP_OPERATOR', { language: 'en' });
    await open('/relying-parties');
    await page.getByText(`1–25 of ${PARTIES}`).waitFor();
    const menu = page.getByRole('navigation', { name: 'Main navigation' });
    expect(await menu.getByRole('link', { name: 'Audit' }).count()).to.equal(1);
    // No language model is configured here.
    expect(await menu.getByRole('link', { name: /Assistant|Knowledge/u }).count()).to.equal(0);
    await page.getByRole('combobox', { name: 'Rows per page' }).selectOption('50 rows');
    await page.getByText(`1–${PARTIES} of ${PARTIES}`).waitFor();
    expect(new URL(page.url()).search).to.equal('?size=50');
    await expectAccessible(page);

    const links = page.getByRole('table').getByRole('link');
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    await page.getByRole('searchbox').press('ArrowDown');
    expect(await focused()).to.equal(await links.first().textContent());
    await page.keyboard.press('ArrowDown');
    expect(await focused()).to.equal(await links.nth(1).textContent());
    await page.keyboard.press('k');
    expect(await focused()).to.equal(await links.first().textContent());
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Tamga Demo' }).waitFor();
  });

  it('are sorted by their headers: upwards, downwards and in their own order, by keyboard and from the address', async () => {
    const { page, open } = await world().as('RP_OPERATOR', { language: 'en' });
    await open('/relying-parties');
    const header = page.getByRole('columnheader', { name: 'Name' });
    const first = page.getByRole('table').getByRole('link').first();
    expect(await header.getAttribute('aria-sort')).to.equal('none');
    await header.getByRole('button').click();
    await page.getByRole('link', { name: '=1+1', exact: true }).waitFor();
    expect(await header.getAttribute('aria-sort')).to.equal('ascending');
    expect(new URL(page.url()).search).to.equal('?sort=name');
    expect(await first.textContent()).to.equal('=1+1');
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText(`26–${PARTIES} of ${PARTIES}`).waitFor();
    expect(await page.getByRole('table').getByRole('link').last().textContent()).to.equal(
      'Tamga Demo',
    );
    await page.getByRole('button', { name: 'Previous page' }).click();
    await page.getByText(`1–25 of ${PARTIES}`).waitFor();
    expect(await first.textContent()).to.equal('=1+1');

    await header.getByRole('button').press('Enter');
    await page
      .getByRole('columnheader', { name: 'Name' })
      .and(sorted(page, 'descending'))
      .waitFor();
    await page.getByRole('link', { name: 'Tamga Demo' }).waitFor();
    expect(await first.textContent()).to.equal('Tamga Demo');
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 780 });
    await expectAccessible(page);
    await header.getByRole('button').press('Enter');
    await page.getByRole('columnheader', { name: 'Name' }).and(sorted(page, 'none')).waitFor();
    expect(new URL(page.url()).search).to.equal('');

    await open('/relying-parties?sort=-name');
    await page.getByRole('link', { name: 'Tamga Demo' }).waitFor();
    expect(await first.textContent()).to.equal('Tamga Demo');
    // Sorts of no column are left out, and refused by the API.
    await open('/relying-parties?sort=secret_hash');
    await page.getByText(`1–25 of ${PARTIES}`).waitFor();
    const { call } = await world().operator('RP_OPERATOR');
    expect((await call('GET', '/relying-parties?sort=secret_hash')).status).to.equal(400);
  });

  it('are exported with words beside the codes, and no cell a spreadsheet takes for a formula', async () => {
    const { page, open } = await world().as('RP_OPERATOR', { language: 'en' });
    await open('/relying-parties');
    const csv = await exported(page, 'CSV');
    const [header = '', ...rows] = csv.trimEnd().split('\r\n');
    expect(header).to.match(/^Name,Permissions,Callback hosts,State,relyingPartyUUID,/u);
    expect(rows).to.have.length(PARTIES);
    expect(rows.filter((row) => row.startsWith("'=7+1,Log citizens in,—,Active,"))).to.have.length(
      1,
    );
    expect(csv).not.to.match(/(?:^|,|\n)[=+@]/u);
    expect(await exported(page, 'CSV for Excel')).to.equal(`\uFEFF${csv}`);
  });

  it('of times say how long ago they are, and exactly when pointed at', async () => {
    const { page, open } = await world().as('RP_OPERATOR', { language: 'en' });
    await open(`/relying-parties/${world().demo.relyingPartyId}`);
    const settings = page.getByRole('region', { name: 'Settings' });
    const time = settings.locator('time').first();
    expect(await time.innerText()).to.match(/^(?:Just now|\d+ min ago)$/u);
    const [exact, iso] = ((await time.getAttribute('title')) ?? '').split(' · ');
    expect(exact).to.match(/\d{2}:\d{2}:\d{2}/u);
    expect(iso).to.equal(await time.getAttribute('datetime'));
  });

  it('are searched all at once by Ctrl-K: a person by name, on the way to their page', async () => {
    const { page, open } = await world().as('SUPPORT', { language: 'en' });
    await open('/account');
    await page.keyboard.press('Control+K');
    const field = page.getByRole('combobox', { name: /^People, phones/u });
    await field.fill('Бат-Эрдэнэ');
    const person = page
      .getByRole('group', { name: 'Citizens' })
      .getByRole('option', { name: /Дорж Бат-Эрдэнэ.*110000000001/u });
    await person.waitFor();
    await page.getByRole('group', { name: 'Certificates' }).getByRole('option').first().waitFor();
    await page.getByRole('group', { name: 'Devices' }).getByRole('option').first().waitFor();
    // Told to screen readers while the focus stays in the field.
    expect(await field.getAttribute('aria-activedescendant')).to.equal(
      await person.getAttribute('id'),
    );
    await expectAccessible(page);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Дорж Бат-Эрдэнэ' }).waitFor();
    await field.waitFor({ state: 'detached' });
  });

  it('and pages and commands are found by /, as far as the account may use them', async () => {
    const { page, open } = await world().as('SUPPORT', { language: 'en' });
    await open('/account');
    await page.keyboard.press('/');
    const field = page.getByRole('combobox', { name: /^People, phones/u });
    await field.fill('register');
    await page.getByText('Nothing matches.').waitFor();
    await field.fill('identity che');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Identity checks' }).waitFor();

    const operator = await world().as('RP_OPERATOR', { language: 'en' });
    await operator.open('/account');
    await operator.page.keyboard.press('/');
    await operator.page.getByRole('combobox', { name: /^People, phones/u }).fill('register a rel');
    await operator.page.getByRole('option', { name: 'Register a relying party' }).click();
    await operator.page.getByRole('heading', { name: 'Register a relying party' }).waitFor();
  });
});
