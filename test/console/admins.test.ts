import { expect } from 'chai';
import { useConsole } from '../support/worlds/consoleWorld.ts';

describe('Operators in the console', function () {
  this.timeout(120_000);
  const world = useConsole();

  it('are added, given another role, and deactivated once the e-mail is typed', async () => {
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    await open('/admins');
    await page.getByRole('button', { name: 'Add an operator' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail').fill('no address');
    await dialog.getByRole('button', { name: 'Add an operator' }).click();
    await dialog.getByText('This is not an e-mail address').waitFor();
    await dialog.getByLabel('E-mail').fill('Bat@tamga.example');
    await dialog.getByRole('radio', { name: 'AUDITOR' }).check();
    await dialog.getByRole('button', { name: 'Add an operator' }).click();
    const row = page.getByRole('row').filter({ hasText: 'bat@tamga.example' });
    await row.getByText('AUDITOR').waitFor();
    await row.getByText('Not connected').waitFor();

    const choose = async (what: string) => {
      await row.getByRole('button', { name: 'Actions: bat@tamga.example' }).click();
      await page.getByRole('menuitem', { name: what }).click();
    };
    await choose('Change the role');
    await dialog.getByRole('radio', { name: 'SUPPORT' }).check();
    await dialog.getByRole('button', { name: 'Change the role' }).click();
    await row.getByText('SUPPORT').waitFor();

    await choose('Deactivate');
    const confirm = dialog.getByRole('button', { name: 'Deactivate' });
    await dialog.getByLabel('to confirm').fill('bat@tamga');
    expect(await confirm.isDisabled()).to.equal(true);
    await dialog.getByLabel('to confirm').fill('bat@tamga.example');
    await confirm.click();
    await row.getByText('Deactivated', { exact: true }).waitFor();
    expect(await row.getByRole('button').count()).to.equal(0);

    const { body } = await world().operators.call('GET', '/admins');
    const items = body['items'] as readonly { email: string; active: boolean; role: string }[];
    expect(items.find(({ email }) => email === 'bat@tamga.example')).to.include({
      active: false,
      role: 'SUPPORT',
    });
  });

  it('show why the service refuses a change, and change nothing', async () => {
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    await open('/admins');
    const own = page.getByRole('row').filter({ hasText: '(you)' });
    await own.getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Deactivate' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('to confirm').fill('super.admin@tamga.example');
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await dialog.getByText('The last super administrator cannot be removed').waitFor();
    await dialog.getByText('Request id').waitFor();
    await page.keyboard.press('Escape');
    await own.getByText('Active', { exact: true }).waitFor();
  });
});
