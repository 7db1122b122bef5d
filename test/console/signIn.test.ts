import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible, useConsole } from '../support/worlds/consoleWorld.ts';

describe('Signing in to the console', function () {
  this.timeout(120_000);
  const world = useConsole();

  it('leads a new operator from the first sign-in over an authenticator and a new password to the dashboard', async () => {
    const operator = await world().operators.add('AUDITOR', { mustChangePassword: true });
    const { page, open } = await world().visit({ language: 'en' });

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
    await page.getByRole('textbox', { name: 'Code' }).fill(world().operators.nextCode(operator));

    await page.getByRole('heading', { name: 'Change your password' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('textbox', { name: 'Current password' }).fill(operator.password);
    await page
      .getByRole('textbox', { name: 'New password', exact: true })
      .fill('a password of my own');
    await page.getByRole('textbox', { name: 'New password again' }).fill('a password of my own');
    await page.getByRole('button', { name: 'Change' }).click();

    await page.getByRole('heading', { name: 'Relying parties' }).waitFor();
    expect(page.url()).to.equal(`${world().origin}/relying-parties?q=bank`);
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    await expectAccessible(page);
  });

  it('needs nothing but a keyboard', async () => {
    const operator = await world().operators.add('SUPPORT');
    await world().operators.signIn(operator);
    const { page, open } = await world().visit({ language: 'en' });
    await open('/');
    await page.keyboard.type(operator.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(operator.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Verification code' }).waitFor();
    await page.keyboard.type(world().operators.nextCode(operator));
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();

    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).to.equal('Skip to content');
    await pressUntil(page, 'Tab', 'Relying parties');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Relying parties' }).waitFor();

    await pressUntil(page, 'Shift+Tab', operator.email);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await pressUntil(page, 'ArrowDown', 'Sign out');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.context().cookies()).to.deep.equal([]);
  });

  it('says what to do when the credentials are wrong, and how long to wait when there were too many', async () => {
    const { page, open } = await world().visit({ language: 'en' });
    await open('/login');
    const attempt = async () => {
      await page.getByRole('textbox', { name: 'E-mail' }).fill('nobody@tamga.example');
      await page.getByRole('textbox', { name: 'Password' }).fill('not this one');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('alert').waitFor();
    };
    await attempt();
    await page.getByText('E-mail or password incorrect').first().waitFor();
    await page.getByText('Request id').waitFor();
    const wait = page.getByRole('button', { name: /^Wait \d+ seconds$/ });
    for (let attempts = 0; attempts < 30 && (await wait.count()) === 0; attempts += 1) {
      await attempt();
    }
    expect(await wait.isDisabled()).to.equal(true);
    await expectAccessible(page);
  });
});

/** Moves the focus until it is on what has this text. */
async function pressUntil(page: Page, key: string, text: string): Promise<void> {
  const focused = page.locator(':focus');
  for (let presses = 0; presses < 40; presses += 1) {
    if ((await focused.count()) > 0 && (await focused.innerText()).includes(text)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`The focus never came to ${text}.`);
}
