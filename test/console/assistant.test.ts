import { expect } from 'chai';
import {
  type AssistantProviderDouble,
  providerSettings,
  startAssistantProvider,
} from '../support/assistant/assistantProvider.ts';
import { expectAccessible, useConsole } from '../support/worlds/consoleWorld.ts';
import { until } from '../support/http/http.ts';
import {
  allowMicrophone,
  hurriedSpeech,
  recordingSwitches,
  untilHeard,
} from '../support/browser/microphone.ts';

describe('The assistant in the console', function () {
  this.timeout(120_000);
  let provider: AssistantProviderDouble;
  const world = useConsole({
    settings: async () => {
      provider = await startAssistantProvider();
      return {
        ...providerSettings(provider),
        SVC_AI_SEED_KNOWLEDGE: 'true',
        SVC_AI_REQUESTS_PER_MINUTE: '1000',
      };
    },
    switches: recordingSwitches,
  });

  after(() => provider.stop());

  it('lists articles, filters them by language and text, and shows one', async () => {
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    await open('/knowledge?language=en');
    await page.getByRole('link', { name: 'Lost or stolen phone' }).waitFor();
    await expectAccessible(page);
    await page.getByPlaceholder('Search title and content').fill('helicopter');
    await page.getByText('Nothing matches the search.').waitFor();
    await page.getByPlaceholder('Search title and content').fill('stolen');
    await page.getByRole('link', { name: 'Lost or stolen phone' }).click();
    await page.getByRole('heading', { name: 'Lost or stolen phone' }).waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).count()).to.equal(0);
    await expectAccessible(page);
  });

  it('adds an article, refuses an edit of an old version, and removes it', async () => {
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    await open('/knowledge');
    await page.getByRole('link', { name: 'Add an article' }).click();
    await page.getByRole('heading', { name: 'Add an article' }).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await page.getByText('Needed').count()).to.equal(2);
    await page.getByRole('textbox', { name: 'Title' }).fill('Opening hours');
    await page.getByRole('textbox', { name: 'Content' }).fill('From nine to six.');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Opening hours' }).click();
    await page.getByRole('heading', { name: 'Opening hours', level: 1 }).waitFor();

    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const operator = await world().operator('SUPER_ADMIN');
    const address = `${world().demo.service.origin}/api/v1/admin/ai/knowledge/articles/${id}`;
    const elsewhere = {
      title: 'Opening hours',
      content: 'From ten to six.',
      tags: [],
      language: 'en',
    };
    await fetch(address, {
      method: 'PUT',
      headers: { authorization: `Bearer ${operator.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(elsewhere),
    });
    await page.getByRole('textbox', { name: 'Content' }).fill('From eight to six.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody changed this while you edited it').first().waitFor();
    await page.getByRole('button', { name: 'Read the new version' }).click();
    await page.getByText('From ten to six.').waitFor();

    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: /^Type/ }).fill('Opening hours');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: 'Knowledge base' }).waitFor();
  });

  it('shows the index, and tries a search with it', async () => {
    const { page, open } = await world().as('SUPER_ADMIN', {
      language: 'en',
      width: 360,
    });
    await open('/knowledge');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Reindex' }).click();
    await page.getByText(/passages were embedded/).waitFor();
    await page.getByText(/^(\d+) of \1 passages ready$/).waitFor();
    await page
      .getByRole('textbox', { name: 'Question' })
      .fill('PIN1 and PIN2 forgotten or locked PINs');
    await page.getByRole('button', { name: 'Find' }).click();
    await page
      .getByText(/^closeness/)
      .first()
      .waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(360);
  });

  it('changes the prompts', async () => {
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'mn' });
    await open('/knowledge/prompts');
    await page.getByRole('textbox', { name: 'Хүрээ' }).fill('Зөвхөн Тамгын тухай.');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Хадгалах' }).first().click();
    await page.getByText('Хадгаллаа. Дараагийн асуултаас эхлэн үйлчилнэ.').waitFor();
    await page.reload();
    await page.getByText('Зөвхөн Тамгын тухай.').waitFor();
  });

  it('answers a question while the answer is written, for every operator', async () => {
    provider.reset();
    provider.model({ says: 'Tell the help desk at once.' });
    const { page, open } = await world().as('SUPPORT', { language: 'en', width: 360 });
    await open('/assistant');
    await expectAccessible(page);
    await page.getByRole('textbox', { name: 'Question' }).fill('I lost my phone');
    await page.getByRole('textbox', { name: 'Question' }).press('Enter');
    await page.getByRole('log').getByText('Tell the help desk at once.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByText('How can I help?').waitFor();
  });

  it('takes a spoken question while the button is held, shows its transcript and answers', async () => {
    provider.reset();
    provider.hears('Утсаа алдсан иргэн яах вэ?');
    provider.model({ says: 'Тусламжийн төвд хэлнэ.' });
    const { page, open } = await world().as('SUPPORT', { language: 'mn', width: 360 });
    await open('/assistant');
    await allowMicrophone(page);
    const talk = page.getByRole('button', { name: 'Дарж ярих' });
    await talk.dispatchEvent('pointerdown');
    await page.getByRole('status').getByText('Сонсож байна').waitFor();
    await untilHeard(page);
    await expectAccessible(page);
    await talk.dispatchEvent('pointerup');
    await page.getByRole('log').getByText('Тусламжийн төвд хэлнэ.').waitFor();
    await page.getByRole('log').getByText('Утсаа алдсан иргэн яах вэ?').waitFor();
    expect(provider.asked.transcriptions[0]?.file.type).to.match(/^audio\/(webm|mp4|ogg)$/);
    expect(provider.asked.messages[0]?.messages.at(-1)?.content).to.equal(
      'Утсаа алдсан иргэн яах вэ?',
    );
    await expectAccessible(page);
  });

  it('takes a spoken question by keyboard, and reports a recording without speech', async () => {
    provider.reset();
    const { page, open } = await world().as('SUPPORT', { language: 'en' });
    await open('/assistant');
    await allowMicrophone(page);
    const talk = page.getByRole('button', { name: 'Hold to talk' });
    await talk.press('Space');
    await untilHeard(page);
    expect(await talk.getAttribute('aria-pressed')).to.equal('true');
    await talk.press('Enter');
    await page.getByRole('log').getByText('Nothing was heard. Please try again.').waitFor();
    expect(provider.asked.messages).to.have.length(0);
    await expectAccessible(page);
  });

  it('reads an answer aloud, sentence by sentence, until it is stopped or something is asked', async () => {
    provider.reset();
    const sentence = (number: number) =>
      `Sentence ${number} is long enough to be spoken alone, as it has more than eighty characters.`;
    const sentences = Array.from({ length: 12 }, (_, number) => sentence(number));
    const answer = sentences.join(' ');
    provider.model({ says: answer });
    const { page, open } = await world().as('SUPPORT', { language: 'en', width: 360 });
    await open('/assistant');
    await page.evaluate(hurriedSpeech);
    await page.getByRole('textbox', { name: 'Question' }).fill('How?');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Listen' }).press('Enter');
    await page.getByRole('button', { name: 'Stop reading' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Listen' }).waitFor();
    const parts = provider.asked.speech.map(({ input }) => input);
    expect(parts.join(' ')).to.equal(answer);
    // Three together: what is spoken counts with what is asked.
    expect(parts).to.have.length(4);

    provider.asked.speech.length = 0;
    // Slow enough to be stopped on a busy machine.
    await page.evaluate('globalThis.speechRate = 0.0625');
    await page.getByRole('button', { name: 'Listen' }).click();
    await until(() => provider.asked.speech.length === 2);
    await page.getByRole('button', { name: 'Stop reading' }).click();
    await page.getByRole('button', { name: 'Listen' }).waitFor();
    expect(await page.evaluate('globalThis.player.paused')).to.equal(true);
    expect(provider.asked.speech.length).to.be.below(4);
  });

  it('says when an answer cannot be read aloud', async () => {
    provider.reset();
    provider.model({ says: 'Four digits.' });
    provider.endpoint('speech', { status: 400 });
    const { page, open } = await world().as('SUPPORT', { language: 'mn' });
    await open('/assistant');
    await page.getByRole('textbox').fill('x');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Сонсох' }).click();
    await page.getByText('Одоогоор уншиж өгөх боломжгүй байна.').waitFor();
    await expectAccessible(page);
  });

  it('says when there is no microphone to use', async () => {
    const { page, open } = await world().as('SUPPORT', { language: 'en' });
    await open('/assistant');
    await page.evaluate(
      "navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no'))",
    );
    await page.getByRole('button', { name: 'Hold to talk' }).press('Enter');
    await page.getByText('The microphone cannot be used.').waitFor();
    await page.evaluate('delete navigator.mediaDevices.getUserMedia');
  });

  it('takes a recording of 30 seconds through its proxy, and nothing above 1 MiB', async () => {
    provider.reset();
    provider.hears('words');
    const { page, open } = await world().as('SUPPORT', { language: 'en' });
    await open('/assistant');
    const statusOf = (length: number) =>
      page.evaluate(async (size) => {
        const audio = { mime: 'audio/webm', data: 'A'.repeat(size) };
        const answer = await fetch('/api/v1/ai/stt', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ audio }),
        });
        return [answer.status, answer.headers.get('x-ratelimit-limit')];
      }, length);
    expect(await statusOf(716_800)).to.deep.equal([200, '1000']);
    expect((await statusOf(716_804))[0]).to.equal(422);
    expect((await statusOf(1024 * 1024))[0]).to.equal(413);
  });

  for (const language of ['mn', 'en'] as const) {
    for (const theme of ['light', 'dark'] as const) {
      it(`a conversation has no fault of accessibility: ${language}, ${theme}`, async () => {
        provider.reset();
        provider.model({ says: 'Yes.' }, { says: '' });
        const { page, open } = await world().as('SUPPORT', { language, theme });
        await open('/assistant');
        const log = page.getByRole('log');
        for (const answer of [log.getByText('Yes.'), log.getByRole('alert')]) {
          await page.getByRole('textbox').fill('x');
          await page.getByRole('textbox').press('Enter');
          await answer.waitFor();
        }
        await expectAccessible(page);
      });
    }
  }
});
