import { expect } from 'chai';
import {
  type DemoBankWorld,
  failureOf,
  logInByPush,
  openDemoBankWorld,
} from '../support/worlds/demoBankWorld.ts';
import { expectMissingNotice } from '../support/browser/scriptless.ts';
import { firstLook, looksAt } from '../support/browser/pageLooks.ts';

describe('Demo Bank: its pages', function () {
  this.timeout(240_000);
  let world: DemoBankWorld;
  let stop = (): Promise<void> => Promise.resolve();

  before(async function () {
    world = (await openDemoBankWorld()) ?? this.skip();
    stop = world.stop;
    await world.answering('110000000003');
  });

  afterEach(() => world.leave());
  after(() => stop());

  for (const language of ['mn', 'en'] as const) {
    it(`are accessible and fit in both themes and widths: ${language}`, async () => {
      const visitor = await world.visit(firstLook[language]);
      const { page } = visitor;
      const look = looksAt(page, 'demo-bank', language);
      await page.locator('.citizens summary').click();
      await look('login');
      for (const channel of ['qr', 'app'] as const) {
        await page.locator(`form[action$="/login/${channel}"] button`).click();
        await page.locator(channel === 'qr' ? '#qr svg' : '#open-app').waitFor();
        await look(channel);
        await page.locator('form[action$="/cancel"] button').click();
      }
      await logInByPush(visitor, '110000000003');
      await failureOf(visitor);
      await look('refused');
      await page.locator('.message a.button').click();
      await logInByPush(visitor, '110000000001');
      await page.locator('#identity').waitFor();
      await look('account');
      await page.locator('#payment button.primary').click();
      await page.locator('[data-done=order]').waitFor();
      await page.locator('details.call summary').first().click();
      await look('order');
      await page.locator('main a[href$="/account"]').click();
      await page.locator('#documents button.primary').click();
      await page.locator('[data-done=contract]').waitFor();
      await look('contract');
      await page.locator('form[action$="/stamp"] button').click();
      await page.locator('[data-done=stamp]').waitFor();
      await look('stamped');
    });
  }

  it('can be used with the keyboard alone', async () => {
    const { page } = await world.visit();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).to.equal('main');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.id')).to.equal('id');
    await page.keyboard.type('110000000001');
    await page.keyboard.press('Enter');
    await page.locator('#identity').waitFor();
    await page.locator('#payee').focus();
    await page.keyboard.press('Enter');
    await page.locator('[data-done=order]').waitFor();
  });

  it('say that their scripts did not come', async () => {
    const { page } = await world.visit();
    await expectMissingNotice(page, () => page.locator('form[action$="/login/qr"] button').click());
  });

  it('speak the language that is chosen, and keep it', async () => {
    const { page } = await world.visit({ language: 'mn' });
    await page.getByRole('heading', { name: 'Нэвтрэх' }).waitFor();
    await page.getByRole('link', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await page.getByRole('button', { name: 'Show the code' }).click();
    await page.getByText('Your phone must show the same code').waitFor();
  });

  it('are small and quick', async () => {
    const { page, context } = await world.visit();
    let bytes = 0;
    const sizes: Promise<void>[] = [];
    page.on('response', (response) => {
      sizes.push(response.body().then((body) => void (bytes += body.length)));
    });
    await context.clearCookies();
    // Routes switch the browser's cache off: an answer of 304 has no body.
    await page.route('**', (route) => route.continue());
    await page.goto(page.url());
    await Promise.all(sizes);
    const painted = await page.waitForFunction(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    );
    const paint = (await painted.jsonValue()) ?? 0;
    console.log(
      `    first page: ${Math.round(bytes / 1024)} KiB, first paint ${Math.round(paint)} ms`,
    );
    expect(bytes).to.be.within(1, 100 * 1024);
  });
});
