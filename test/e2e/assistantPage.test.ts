import { expect } from 'chai';
import type { Browser, ConsoleMessage, Page } from 'playwright-core';
import { cannotAnswerNow } from '../../application/assistant/fixedTexts.ts';
import { type AssistantWorld, startAssistantWorld } from '../support/worlds/assistantWorld.ts';
import { launchChromium, leaveChromium } from '../support/browser/chromium.ts';
import { expectAccessible } from '../support/worlds/consoleWorld.ts';
import { until } from '../support/http/http.ts';
import {
  allowMicrophone,
  hurriedSpeech,
  recordingSwitches,
  untilHeard,
} from '../support/browser/microphone.ts';
import { type Visitor, visitorOf } from '../support/browser/visitors.ts';
import { expectScriptlessNotices } from '../support/browser/scriptless.ts';
import { picture } from '../support/browser/pictures.ts';

describe('The page of the public chat in Chromium', function () {
  this.timeout(120_000);
  let world: AssistantWorld;
  let browser: Browser;
  let visitor: Visitor;
  let faults: string[];

  before(async function () {
    const launched = await launchChromium(recordingSwitches);
    if (launched === null) {
      console.log('    chromium is missing (package chromium): skipped');
      this.skip();
    }
    browser = launched;
    world = await startAssistantWorld();
  });
  beforeEach(async () => {
    world.provider.reset();
    faults = [];
    visitor = await visitorOf(browser, world.origin);
    visitor.page.on('console', note);
  });
  afterEach(async () => {
    visitor.page.off('console', note);
    await visitor.leave();
  });
  after(async () => {
    await leaveChromium(browser);
    await world.stop();
  });

  /** Refused calls are faults here, too. */
  function note(message: ConsoleMessage): void {
    if (message.type() === 'error') faults.push(message.text());
  }

  async function open(language: 'mn' | 'en', theme: 'light' | 'dark' = 'light'): Promise<Page> {
    const { page } = visitor;
    await visitor.setUp({ language, theme, width: 360 });
    await visitor.open(`/assistant?lang=${language}`);
    await allowMicrophone(page);
    await page.evaluate(hurriedSpeech);
    return page;
  }

  const lastAnswer = (page: Page) => page.locator('#log .model').last();

  it('says what to do where scripts are off or do not come', () =>
    expectScriptlessNotices(browser, `${world.origin}/assistant`));

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
    expect([...faults, ...visitor.faults]).to.deep.equal([]);
  });

  it('takes back what broke off, and shows the fallback', async () => {
    const page = await open('mn');
    world.provider.model({ cuts: 'Хагас хариу' });
    await page.getByLabel('Таны асуулт').fill('Юу вэ?');
    await page.keyboard.press('Enter');
    await page.locator('#log .degraded').waitFor();
    expect(await lastAnswer(page).textContent()).to.equal(cannotAnswerNow.mn);
  });

  it('push to talk: a recording is asked, its transcript shown, the answer spoken', async () => {
    const page = await open('mn');
    world.provider.hears('ПИН код гэж юу вэ?');
    const talk = page.getByRole('button', { name: 'Дарж ярих' });
    await talk.dispatchEvent('pointerdown');
    await page.getByText('Сонсож байна').waitFor();
    expect(await talk.getAttribute('aria-pressed')).to.equal('true');
    await untilHeard(page);
    await talk.dispatchEvent('pointerup');
    await page.getByText('ПИН код гэж юу вэ?').waitFor();
    const [asked] = world.provider.asked.transcriptions;
    expect(asked?.file.type).to.match(/^audio\/(webm|mp4|ogg)$/);
    const speech = page.waitForResponse(`${world.origin}/public/ai/tts`);
    await page.getByRole('button', { name: 'Сонсох' }).click();
    expect((await speech).status()).to.equal(200);
    expect([...faults, ...visitor.faults]).to.deep.equal([]);
  });

  it('push to talk by keyboard: one press begins, the next sends', async () => {
    const page = await open('en');
    world.provider.hears('What is a PIN?');
    const talk = page.getByRole('button', { name: 'Hold to talk' });
    await talk.press('Enter');
    await untilHeard(page);
    await talk.press('Space');
    await page.getByText('What is a PIN?').waitFor();
    expect(await talk.getAttribute('aria-pressed')).to.equal('false');
  });

  /** Asks something, and begins to have the answer spoken. */
  async function listenTo(answer: string): Promise<Page> {
    const page = await open('en');
    world.provider.model({ says: answer });
    await page.getByLabel('Your question').fill('How?');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Listen' }).click();
    return page;
  }

  const spokenTo = () => world.provider.asked.speech.map(({ input }) => input);
  const sentence = (number: number) =>
    `Sentence ${number} is long enough to be spoken alone, as it has more than eighty characters.`;

  it('speaks all of a long answer, sentence by sentence, none above 800 characters', async () => {
    const endless = Array.from({ length: 180 }, (_, word) => `Word${word}`).join(' ');
    const page = await listenTo(`Yes. It is so. ${sentence(1)} ${sentence(2)} ${endless}`);
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await page.getByRole('button', { name: 'Listen' }).waitFor();
    const parts = spokenTo();
    expect(parts.slice(0, 2)).to.deep.equal([`Yes. It is so. ${sentence(1)}`, sentence(2)]);
    expect(parts.join(' ')).to.equal(`Yes. It is so. ${sentence(1)} ${sentence(2)} ${endless}`);
    expect(parts).to.have.length(4);
    for (const part of parts) expect(part.length).to.be.at.most(800);
    expect([...faults, ...visitor.faults]).to.deep.equal([]);
  });

  it('fetches one sentence ahead of the one that is played, and none after Stop', async () => {
    const page = await listenTo([1, 2, 3, 4, 5, 6].map(sentence).join(' '));
    // Leaves the test time to stop: the second sentence takes seconds.
    await page.evaluate('globalThis.speechRate = 1');
    await until(() => spokenTo().length === 2);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Listen' }).waitFor();
    expect(await page.evaluate('globalThis.player.paused')).to.equal(true);
    expect(spokenTo().length).to.be.below(5);
    await page.evaluate('globalThis.speechRate = 16');
    // Another answer is spoken from its beginning; nothing of the first comes any more.
    world.provider.asked.speech.length = 0;
    await page.getByRole('button', { name: 'Listen' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await page.getByRole('button', { name: 'Listen' }).waitFor();
    expect(spokenTo()).to.deep.equal([1, 2, 3, 4, 5, 6].map(sentence));
  });

  it('waits for Retry-After when rate-limited, and then continues', async () => {
    const page = await open('en');
    let refused = 0;
    await page.route('**/public/ai/tts', async (route) => {
      refused += 1;
      if (refused !== 2) return route.continue();
      return route.fulfill({ status: 429, headers: { 'retry-after': '1' }, json: {} });
    });
    world.provider.model({ says: `${sentence(1)} ${sentence(2)}` });
    await page.getByLabel('Your question').fill('How?');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Listen' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await page.getByRole('button', { name: 'Listen' }).waitFor();
    expect(spokenTo()).to.deep.equal([sentence(1), sentence(2)]);
    expect(refused).to.equal(3);
  });

  it('says when an answer cannot be spoken', async () => {
    world.provider.endpoint('speech', { status: 400 });
    const page = await listenTo('Four digits.');
    await page.getByText('Reading aloud is unavailable at the moment.').waitFor();
    await page.getByRole('button', { name: 'Listen' }).waitFor();
  });

  // Words and colours do not depend on each other: each language and each theme is seen once.
  for (const [lang, scheme] of [
    ['mn', 'light'],
    ['en', 'dark'],
  ] as const) {
    it(`has no fault of accessibility, and fits 360 px: ${lang}, ${scheme}`, async () => {
      const page = await open(lang, scheme);
      await page.locator('textarea').fill('x'.repeat(200));
      await page.keyboard.press('Enter');
      await page.locator('#log button').waitFor();
      await expectAccessible(page);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect(width).to.be.at.most(360);
      await picture(page, `assistant-${lang}-${scheme}`);
    });
  }
});
