import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { cannotAnswerNow } from '../../application/assistant/fixedTexts.ts';
import { type AssistantWorld, startAssistantWorld } from '../support/assistantWorld.ts';
import { launchChromium } from '../support/chromium.ts';
import { expectAccessible } from '../support/consoleWorld.ts';

const phoneScreen = { width: 360, height: 740 };

describe('The page of the public chat in Chromium', function () {
  this.timeout(120_000);
  let world: AssistantWorld;
  let browser: Browser;
  const faults: string[] = [];

  before(async function () {
    const launched = await launchChromium([
      ...['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream'],
    ]);
    if (launched === null) {
      console.log('    chromium is missing (package chromium): skipped');
      this.skip();
    }
    browser = launched;
    world = await startAssistantWorld();
  });
  beforeEach(() => {
    world.provider.reset();
    faults.length = 0;
  });
  after(async () => {
    await browser.close();
    await world.stop();
  });

  async function open(lang: 'mn' | 'en', colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
    const context = await browser.newContext({ viewport: phoneScreen, colorScheme });
    await context.grantPermissions(['microphone'], { origin: world.origin });
    const page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(`${world.origin}/assistant?lang=${lang}`);
    return page;
  }

  const lastAnswer = (page: Page) => page.locator('#log .model').last();

  it('answers while it writes, remembers the conversation, and takes nothing for markup', async () => {
    const page = await open('en');
    world.provider.model({ says: 'A <b>certificate</b> of yours.' });
    await page.getByLabel('Your question').fill('What is <i>that</i>?');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Listen' }).waitFor();
    expect(await lastAnswer(page).textContent()).to.equal('A <b>certificate</b> of yours.');
    expect(await page.locator('#log .user').textContent()).to.equal('What is <i>that</i>?');
    await page.getByLabel('Your question').fill('And?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Listen' }).nth(1).waitFor();
    expect(world.provider.asked.messages[1]?.messages).to.have.length(3);
    expect(world.provider.asked.messages[1]?.system?.at(-1)?.text).to.include('English');
    expect(faults).to.deep.equal([]);
    await page.context().close();
  });

  it('takes back what broke off, and shows the fallback', async () => {
    const page = await open('mn');
    world.provider.model({ cuts: 'Хагас хариу' });
    await page.getByLabel('Таны асуулт').fill('Юу вэ?');
    await page.keyboard.press('Enter');
    await page.locator('#log .degraded').waitFor();
    expect(await lastAnswer(page).textContent()).to.equal(cannotAnswerNow.mn);
    await page.context().close();
  });

  it('push to talk: a recording is asked, its transcript shown, the answer spoken', async () => {
    const page = await open('mn');
    world.provider.hears('ПИН код гэж юу вэ?');
    const talk = page.getByRole('button', { name: 'Дарж ярих' });
    await talk.dispatchEvent('pointerdown');
    await page.getByText('Сонсож байна').waitFor();
    await page.waitForFunction('document.querySelector("#talk.recording") !== null');
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 600))');
    await talk.dispatchEvent('pointerup');
    await page.getByText('ПИН код гэж юу вэ?').waitFor();
    const [asked] = world.provider.asked.transcriptions;
    expect(asked?.file.type).to.match(/^audio\/(webm|mp4|ogg)$/);
    const speech = page.waitForResponse(`${world.origin}/public/ai/tts`);
    await page.getByRole('button', { name: 'Сонсох' }).click();
    expect((await speech).status()).to.equal(200);
    expect(faults).to.deep.equal([]);
    await page.context().close();
  });

  for (const lang of ['mn', 'en'] as const) {
    for (const scheme of ['light', 'dark'] as const) {
      it(`has no fault of accessibility, and fits 360 px: ${lang}, ${scheme}`, async () => {
        const page = await open(lang, scheme);
        await page.locator('textarea').fill('x'.repeat(200));
        await page.keyboard.press('Enter');
        await page.locator('#log button').waitFor();
        await expectAccessible(page);
        const width = await page.evaluate('document.documentElement.scrollWidth');
        expect(width).to.be.at.most(phoneScreen.width);
        await page.screenshot({ path: `dist/test-artefacts/assistant-${lang}-${scheme}.png` });
        await page.context().close();
      });
    }
  }
});
