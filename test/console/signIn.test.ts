import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectScriptlessNotices } from '../support/browser/scriptless.ts';
import { kilobytesOf, transferred } from '../support/browser/transferred.ts';
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
    // Another site to return to, once browsers have left out the tabulator; the dashboard opens.
    await open('/login?return=%2F%09%2Felsewhere.example');
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

  it('is asked for again once the session has ended, and leads back', async () => {
    const { page, context, open } = await world().newAs('AUDITOR', { language: 'en' });
    await open('/account');
    await context.clearCookies();
    await page.getByRole('link', { name: 'Relying parties' }).press('Enter');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // Requests that the page repeats may be refused first.
    expect(new URL(page.url()).searchParams.get('return')).to.be.oneOf([
      ...['/account', '/relying-parties'],
    ]);
    await page.getByText('Your session has ended. Sign in again.').waitFor();
    await expectAccessible(page);
  });

  it('says what to do where scripts are off or do not come', async () => {
    const { page } = await world().visit();
    const browser = page.context().browser();
    if (browser === null) throw new Error('The browser is open while tests run.');
    await expectScriptlessNotices(browser, `${world().origin}/login`);
  });

  it('weighs at most 150 kB, all of its states styled', async () => {
    const operator = await world().operators.add('SUPPORT');
    const { page, open } = await world().visit({ language: 'mn' });
    const loaded = await transferred(page, () => open('/login'));
    expect(kilobytesOf(loaded), JSON.stringify(loaded.slice(0, 12))).to.be.below(150);

    await expectStyled(page);
    await page.getByRole('button', { name: 'Хэл' }).click();
    await page.getByRole('menuitem', { name: 'English' }).waitFor();
    await expectStyled(page);
    await page.getByRole('menuitem', { name: 'English' }).click();
    await page.getByLabel('E-mail').fill(operator.email);
    await page.getByRole('textbox', { name: 'Password' }).fill('not this one');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').waitFor();
    await expectStyled(page);
    await page.getByRole('textbox', { name: 'Password' }).fill(operator.password);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
    await page.getByRole('button', { name: /^Copy/ }).hover();
    await page.getByRole('tooltip').waitFor();
    await expectStyled(page);
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

/** Classes of the component library, and of them those that its whole style sheet has a rule for. */
const libraryClass = /\bm_[0-9a-f]{6,8}\b/g;
const library = createRequire(import.meta.url).resolve('@mantine/core/styles.css');
const known = new Set(readFileSync(library, 'utf8').match(libraryClass));

/** Expects rules for what is shown: the sign-in loads the styles of the components it lists alone. */
async function expectStyled(page: Page): Promise<void> {
  const [shown, styled] = await page.evaluate<[string, string]>(`[
    [...document.querySelectorAll('[class]')].map((each) => each.getAttribute('class')).join(' '),
    [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules].map((rule) => rule.cssText)).join(' '),
  ]`);
  const has = new Set(styled.match(libraryClass));
  const missing = new Set(
    shown.match(libraryClass)?.filter((each) => known.has(each) && !has.has(each)),
  );
  expect([...missing]).to.deep.equal([]);
}

/** Moves the focus until it is on what has this text. */
async function pressUntil(page: Page, key: string, text: string): Promise<void> {
  const focused = page.locator(':focus');
  for (let presses = 0; presses < 40; presses += 1) {
    if ((await focused.count()) > 0 && (await focused.innerText()).includes(text)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`The focus never came to ${text}.`);
}
