import { expect } from 'chai';
import {
  type AssistantProviderDouble,
  providerSettings,
  startAssistantProvider,
} from '../support/assistantProvider.ts';
import { type ConsoleWorld, expectAccessible, openConsoleWorld } from '../support/consoleWorld.ts';

describe('The assistant in the console', function () {
  this.timeout(120_000);
  let world: ConsoleWorld;
  let provider: AssistantProviderDouble;

  before(async function () {
    provider = await startAssistantProvider();
    const opened = await openConsoleWorld({
      ...providerSettings(provider),
      SVC_AI_SEED_KNOWLEDGE: 'true',
    });
    if (opened === null) return this.skip();
    world = opened;
  });

  afterEach(() => world.leave());
  after(async () => {
    await world.stop();
    await provider.stop();
  });

  it('lists articles, filters them by language and text, and shows one', async () => {
    const { page, open } = await world.as('AUDITOR', { language: 'en' });
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
    const { page, open } = await world.as('SUPER_ADMIN', { language: 'en' });
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
    const operator = await world.operator('SUPER_ADMIN');
    const address = `${world.demo.service.origin}/api/v1/admin/ai/knowledge/articles/${id}`;
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
    const { page, open } = await world.as('SUPER_ADMIN', {
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
    const { page, open } = await world.as('SUPER_ADMIN', { language: 'mn' });
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
    const { page, open } = await world.as('SUPPORT', { language: 'en', width: 360 });
    await open('/assistant');
    await expectAccessible(page);
    await page.getByRole('textbox', { name: 'Question' }).fill('I lost my phone');
    await page.getByRole('textbox', { name: 'Question' }).press('Enter');
    await page.getByRole('log').getByText('Tell the help desk at once.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByText('How can I help?').waitFor();
  });
});
