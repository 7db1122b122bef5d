import { expect } from 'chai';
import { civilHeader, civilLine } from '../support/installation/registerFiles.ts';
import { picture } from '../support/browser/pictures.ts';
import { expectAccessible, useConsole } from '../support/worlds/consoleWorld.ts';

describe('Importing registers in the console', function () {
  this.timeout(120_000);
  const world = useConsole({
    settings: () => Promise.resolve({ SVC_ADMIN_REQUIRE_4EYES: 'true' }),
  });
  const file = (name: string, text: string) => ({
    name,
    mimeType: 'text/csv',
    buffer: Buffer.from(text),
  });

  it('O1: shows what would change and each refused line, then asks for a second operator', async () => {
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    await open('/registers');
    const chosen = page.locator('input[type=file]');
    await chosen.setInputFiles(file('register.txt', 'x'));
    await page.getByText('must end in .csv or .jsonl').waitFor();
    expect(await page.getByRole('button', { name: 'Dry run' }).isDisabled()).to.equal(true);

    const text = [civilHeader, civilLine(1), civilLine(2), civilLine(1)].join('\n');
    await chosen.setInputFiles(file('register.csv', text));
    await page.getByRole('button', { name: 'Dry run' }).click();
    const report = page.getByRole('region', { name: 'What would change' });
    await report.getByText('Nothing has been written yet.').waitFor();
    expect(await report.locator('dl').innerText()).to.match(/Added\s+2\s+Changed\s+0/u);
    const refused = page.getByRole('table', { name: 'Refused lines' });
    await refused.getByText('civilId is also in an earlier line. Keep one of them.').waitFor();
    await refused.getByText('Line 4').waitFor();
    await expectAccessible(page);
    await picture(page, 'registers-en');

    await report.getByRole('button', { name: 'Import' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Adds 2 records of the file and changes 0.').waitFor();
    await dialog.getByLabel('to confirm').fill('Civil register');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('link', { name: 'Open the request' }).click();
    await page.getByText('Records added to the civil register').waitFor();
  });

  it('shows the same in Mongolian', async () => {
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'mn' });
    await open('/registers');
    const text = [civilHeader, civilLine(3), 'odd'].join('\n');
    await page.locator('input[type=file]').setInputFiles(file('register.csv', text));
    await page.getByRole('button', { name: 'Шалгаж үзэх' }).click();
    await page.getByText('Одоохондоо юу ч бичээгүй.').waitFor();
    await page.getByRole('table', { name: 'Татгалзсан мөрүүд' }).getByText('Мөр 3').waitFor();
    await picture(page, 'registers-mn');
  });
});
