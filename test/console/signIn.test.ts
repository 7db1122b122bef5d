import { expect } from 'chai';
import { type ConsoleWorld, expectAccessible, openConsoleWorld } from '../support/consoleWorld.ts';

describe('Signing in to the console', function () {
  this.timeout(120_000);
  let world: ConsoleWorld;

  before(async function () {
    const opened = await openConsoleWorld();
    if (opened === null) return this.skip();
    world = opened;
  });

  afterEach(() => world.leave());
  after(() => world.stop());

  it('leads a new operator from the first sign-in over an authenticator and a new password to the dashboard', async () => {
    const operator = await world.operators.add('AUDITOR', { mustChangePassword: true });
    const { page, open } = await world.visit({ language: 'en' });

    await open('/relying-parties?q=bank');
    expect(new URL(page.url()).pathname).to.equal('/login');
    await expectAccessible(page);
    await page.getByLabel('E-mail').fill(operator.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(operator.password);
    await page.getByRole('button', { name: 'Continue' }).click();

    await page.getByRole('heading', { name: 'Connect your authenticator' }).waitFor();
    await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
    await expectAccessible(page);
    operator.secret = ((await page.getByTestId('totp-secret').textContent()) ?? '').trim();
    await page.getByRole('textbox', { name: 'Code' }).fill(world.operators.nextCode(operator));

    await page.getByRole('heading', { name: 'Change your password' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('textbox', { name: 'Current password' }).fill(operator.password);
    await page
      .getByRole('textbox', { name: 'New password', exact: true })
      .fill('a password of my own');
    await page.getByRole('textbox', { name: 'New password again' }).fill('a password of my own');
    await page.getByRole('button', { name: 'Change' }).click();

    await page.getByRole('heading', { name: 'Relying parties' }).waitFor();
    expect(page.url()).to.equal(`${world.origin}/relying-parties?q=bank`);
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    await expectAccessible(page);
  });
});
