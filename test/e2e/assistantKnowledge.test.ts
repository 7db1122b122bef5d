import { expect } from 'chai';
import { seedArticleId } from '../../application/assistant/seedKnowledge.ts';
import { longestPrompt } from '../../domain/assistant/prompt.ts';
import {
  type AssistantProviderDouble,
  providerSettings,
  startAssistantProvider,
} from '../support/assistant/assistantProvider.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { type Answer, call, type CallOptions } from '../../main/drill/callers.ts';
import { openOperatorWorld } from '../support/worlds/operatorWorld.ts';

const base = '/api/v1/admin/ai';
const lostPhone = {
  title: 'Lost phone',
  content: 'Tell the help desk at once and enrol again.',
  tags: ['phone', 'stolen'],
  language: 'en',
  source: 'Help desk',
};
const taxes = {
  title: 'Татварын тайлан',
  content: 'Тайлангаа цахимаар илгээнэ.',
  tags: [],
  language: 'mn',
  source: null,
};

type Asking = (
  method: NonNullable<CallOptions['method']>,
  path: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

const asking =
  (demo: () => DemoInstallation, credentials: Readonly<Record<string, string>> = {}): Asking =>
  (method, path, body, headers = {}) =>
    call(demo().service.origin + base + path, {
      method,
      headers: { ...credentials, ...headers },
      ...(body === undefined ? {} : { body }),
    });

/** Content of an answer in the envelope. */
function dataOf<Data = Readonly<Record<string, unknown>>>(answer: Answer, status = 200): Data {
  expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
  expect(answer.body['status']).to.equal(true);
  return answer.body['data'] as Data;
}

function expectRefusal({ status, headers, body }: Answer, expected: number) {
  expect(status, JSON.stringify(body)).to.equal(expected);
  expect(headers.get('content-type')).to.equal('application/json');
  expect(body['status']).to.equal(false);
  expect(body['message']).to.be.a('string').that.is.not.empty;
}

describe('The knowledge of the assistant, as operators keep it', function () {
  this.timeout(60_000);
  let provider: AssistantProviderDouble;
  let demo: DemoInstallation;
  const ask = asking(() => demo);

  before(async () => {
    provider = await startAssistantProvider();
    demo = await startDemoInstallation(providerSettings(provider));
  });

  after(async () => {
    await demo.stop();
    await provider.stop();
  });

  interface Progress {
    readonly mode: string;
    readonly passages: number;
    readonly embedded: number;
    readonly failed: boolean;
  }

  const progress = async () => dataOf<Progress>(await ask('GET', '/knowledge/reindex'));
  const add = async (text: object) =>
    dataOf<{ id: string; version: number }>(await ask('POST', '/knowledge/articles', text), 201);
  const allEmbedded = (passages: number) =>
    eventually(async () => {
      expect(await progress()).to.include({ mode: 'vector', passages, embedded: passages });
    }, 10_000);

  interface Found {
    readonly results: readonly { readonly title: string; readonly score?: number }[];
    readonly count: number;
    readonly mode: string;
  }

  const search = async (query: string) =>
    dataOf<Found>(await ask('POST', '/knowledge/search', { query }));

  describe('Prompts', () => {
    it('are those of the program until somebody writes others', async () => {
      const prompts = dataOf<object[]>(await ask('GET', '/prompts'));
      expect(prompts.map((each) => ({ ...each, content: '' }))).to.deep.equal(
        ['scope', 'instructions'].map((prompt) => ({
          prompt,
          content: '',
          version: 0,
          changed_by: null,
          changed_at: null,
        })),
      );
    });

    it('are changed by whom the log names, for the next question on', async () => {
      const changed = await ask('PUT', '/prompts/scope', { content: 'Only taxes.' });
      expect(dataOf(changed)).to.include({
        content: 'Only taxes.',
        version: 1,
        changed_by: 'development',
      });
      expect(changed.headers.get('etag')).to.equal('"1"');
      expect(dataOf(await ask('GET', '/prompts/scope'))).to.include({ content: 'Only taxes.' });
      await eventually(async () => {
        const audit = await call(`${demo.service.origin}/v3/admin/audit?type=AI_PROMPT_CHANGE`);
        expect((audit.body['items'] as object[])[0]).to.include({
          subject: 'scope',
          capability: 'config:write',
          outcome: 'OK',
        });
      }, 5000);
    });

    it('are changed from the version that was seen: 412 otherwise', async () => {
      const content = 'Only passports.';
      expectRefusal(await ask('PUT', '/prompts/scope', { content }, { 'if-match': '"0"' }), 412);
      expectRefusal(await ask('PUT', '/prompts/scope', { content }, { 'if-match': 'W/1' }), 400);
      dataOf(await ask('PUT', '/prompts/scope', { content }, { 'if-match': '"1"' }));
    });

    it('have 4000 characters at most, and there are two', async () => {
      dataOf(await ask('PUT', '/prompts/instructions', { content: 'ө'.repeat(longestPrompt) }));
      const long = await ask('PUT', '/prompts/scope', { content: 'a'.repeat(longestPrompt + 1) });
      expectRefusal(long, 422);
      expect(long.body).to.deep.include({ message: 'validation failed' });
      const { errors } = long.body['data'] as { errors: object[] };
      expect(errors[0]).to.include({ field: 'content', tag: 'max' });
      const missing = await ask('PUT', '/prompts/scope', {});
      expect(JSON.stringify(missing.body)).to.include('"tag":"required"');
      expectRefusal(await ask('GET', '/prompts/guardrails'), 404);
      expectRefusal(await ask('PUT', '/prompts/guardrails', { content: 'none' }), 404);
    });
  });

  describe('Articles', () => {
    it('are added, found, changed and removed', async () => {
      const { id } = await add(taxes);
      const listed = dataOf<{ items: object[]; total: number }>(
        await ask('GET', `/knowledge/articles?q=${encodeURIComponent('ТАЙЛАН')}&language=mn`),
      );
      expect(listed.total).to.equal(1);
      expect(listed.items[0]).to.include({ id, origin: 'OPERATOR', changed_by: 'development' });
      const changed = await ask('PUT', `/knowledge/articles/${id}`, { ...taxes, title: 'Татвар' });
      expect(dataOf(changed)).to.include({ title: 'Татвар', version: 2 });
      expect(dataOf(await ask('GET', `/knowledge/articles/${id}`))).to.include({ version: 2 });
      expect((await ask('DELETE', `/knowledge/articles/${id}`)).status).to.equal(200);
      expectRefusal(await ask('GET', `/knowledge/articles/${id}`), 404);
      expectRefusal(await ask('PUT', `/knowledge/articles/${id}`, taxes), 404);
      expectRefusal(await ask('GET', '/knowledge/articles/nothing'), 404);
    });

    it('are not written where anything is wrong, and every fault is named', async () => {
      const wrong = { title: '', content: ' ', tags: ['ok', 'x'.repeat(61)], language: 'de' };
      const answer = await ask('POST', '/knowledge/articles', wrong);
      expectRefusal(answer, 422);
      const { errors } = answer.body['data'] as { errors: { field: string }[] };
      expect(errors.map(({ field }) => field)).to.have.members([
        ...['title', 'content', 'tags.1', 'language'],
      ]);
    });

    it('take one of many edits of the same version', async () => {
      const { id } = await add(taxes);
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          ask(
            ...(['PUT', `/knowledge/articles/${id}`] as const),
            { ...taxes, title: `Edit ${index}` },
            { 'if-match': '"1"' },
          ),
        ),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).to.deep.equal([200, ...Array<number>(7).fill(412)]);
      await ask('DELETE', `/knowledge/articles/${id}`);
    });
  });

  describe('search_knowledge', () => {
    let id: string;

    before(async () => {
      ({ id } = await add(lostPhone));
      await add(taxes);
      await allEmbedded(2);
    });

    it('finds by vectors, with scores, what was just written', async () => {
      const found = await search('lost phone stolen help desk');
      expect(found.mode).to.equal('vector');
      expect(found.results[0]).to.include({ title: 'Lost phone', source: 'Help desk' });
      expect(found.results[0]?.score).to.be.within(0.35, 1);
      expect(found.count).to.equal(found.results.length);
    });

    it('has only the passages embedded that changed', async () => {
      const first = 'word '.repeat(239).trim();
      const second = 'other '.repeat(150).trim();
      const long = { ...lostPhone, content: `${first}\n\n${second}` };
      await ask('PUT', `/knowledge/articles/${id}`, long);
      await allEmbedded(3);
      provider.asked.embeddings.length = 0;
      await ask('PUT', `/knowledge/articles/${id}`, { ...long, content: `${first}\n\nShort now.` });
      // All were embedded before, too: that the new one is, shows in what was asked for.
      await eventually(
        () =>
          expect(provider.asked.embeddings.flat()).to.deep.equal([
            'Lost phone\nphone, stolen\nShort now.',
          ]),
        10_000,
      );
      await allEmbedded(3);
    });

    it('goes by words while the provider fails, cuts or stalls', async () => {
      for (const failure of [{ status: 500 }, { status: 429 }, 'cuts', 'stalls'] as const) {
        provider.endpoint('embeddings', failure);
        const found = await search('татварын тайлан');
        expect(found).to.include({ mode: 'keyword', count: 1 });
        expect(found.results[0]).to.include({ title: 'Татварын тайлан' }).and.not.have.key('score');
      }
      expect((await search('татварын тайлан')).mode).to.equal('vector');
    });
  });

  it('tools of operators are off unless the setting gives them', async () => {
    const { token } = await openOperatorWorld(demo.service.origin).signedIn('SUPER_ADMIN');
    const asked = await call(`${demo.service.origin}/api/v1/ai/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: { message: 'How many sessions were there?', lang: 'en' },
    });
    expect(asked.status).to.equal(200);
    expect(provider.asked.messages.at(-1)?.tools?.map(({ name }) => name)).to.deep.equal([
      ...['search_knowledge', 'get_server_time'],
    ]);
  });

  describe('Embedding', () => {
    it('resumes where it was interrupted, whichever operator asks', async () => {
      // More than one call's worth, of which the second fails.
      const content = Array.from({ length: 130 }, (_, each) => `p${each} ${'x'.repeat(1100)}`);
      provider.endpoint('embeddings', ...Array<{ status: number }>(3).fill({ status: 503 }));
      const { id } = await add({ ...taxes, content: content.slice(0, 17).join('\n\n') });
      await Promise.all(
        Array.from({ length: 6 }, (_, part) =>
          add({ ...taxes, content: content.slice(17 + part * 17, 34 + part * 17).join('\n\n') }),
        ),
      );
      const before = await progress();
      expect(before.passages).to.be.greaterThan(before.embedded);
      const { embedded } = dataOf<{ embedded: number }>(
        await eventually(async () => {
          const answer = await ask('POST', '/knowledge/reindex');
          expect(answer.status).to.equal(200);
          return answer;
        }, 20_000),
      );
      const after = await progress();
      // Articles may be shown after the first look: it tells what was embedded at least.
      expect(embedded).to.be.at.most(after.passages - before.embedded);
      expect(after).to.include({ embedded: after.passages, failed: false });
      expect(dataOf(await ask('POST', '/knowledge/reindex'))).to.deep.equal({ embedded: 0 });
      await ask('DELETE', `/knowledge/articles/${id}`);
    });
  });
});

describe('The articles that come with the program', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  const ask = asking(() => demo);

  before(async () => {
    demo = await startDemoInstallation({ SVC_AI_SEED_KNOWLEDGE: 'true' });
  });

  after(() => demo.stop());

  const list = async (query = '') =>
    dataOf<{ items: { version: number }[]; total: number }>(
      await ask('GET', `/knowledge/articles?limit=200${query}`),
    );

  it('are there from the start, in both languages', async () => {
    await eventually(async () => {
      expect((await list('&language=mn')).total).to.be.at.least(20);
      expect((await list('&language=en')).total).to.equal((await list('&language=mn')).total);
    }, 10_000);
    const found = dataOf<{ mode: string; results: { title: string }[] }>(
      await ask('POST', '/knowledge/search', { query: 'утсаа алдсан' }),
    );
    expect(found.mode).to.equal('keyword');
    expect(found.results[0]?.title).to.equal('Утсаа алдсан эсвэл хулгайлуулсан бол');
  });

  it('are written once: a restart neither repeats them nor takes an edit or a removal back', async () => {
    const { total } = await list();
    const edited = `/knowledge/articles/${seedArticleId('en/pins')}`;
    const text = { title: 'PINs', content: 'Ask at the counter.', tags: [], language: 'en' };
    dataOf(await ask('PUT', edited, text, { 'if-match': '"1"' }));
    dataOf(await ask('DELETE', `/knowledge/articles/${seedArticleId('en/safety')}`));
    await demo.service.stop();
    await demo.service.start();
    const after = await list();
    expect(after.total).to.equal(total - 1);
    expect(dataOf(await ask('GET', edited))).to.include({
      title: 'PINs',
      origin: 'OPERATOR',
      version: 2,
    });
    expect(after.items.filter(({ version }) => version !== 1)).to.have.length(1);
  });

  it('are searched by words where there is no embeddings provider; there is nothing to embed', async () => {
    expect(dataOf(await ask('POST', '/knowledge/reindex'))).to.deep.equal({ embedded: 0 });
    expect(dataOf(await ask('GET', '/knowledge/reindex'))).to.include({
      mode: 'keyword',
      model: null,
      embedded: 0,
      running: false,
    });
  });
});

describe('The assistant under four eyes', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;

  before(async () => {
    demo = await startDemoInstallation({
      SVC_ADMIN_REQUIRE_4EYES: 'true',
      SVC_ADMIN_4EYES_COMMANDS: 'assistant.changePrompt,assistant.changeKnowledge',
    });
  });

  after(() => demo.stop());

  it('changes when another operator approves, and shows what would change', async () => {
    const operators = openOperatorWorld(demo.service.origin);
    const [one, other] = await Promise.all([
      operators.signedIn('SUPER_ADMIN'),
      operators.signedIn('SUPER_ADMIN'),
    ]);
    const ask = asking(() => demo, { authorization: `Bearer ${one.token}` });
    const paragraphs = { ...lostPhone, content: 'First.\n\nSecond.\n\nThird.' };

    const asked = await ask('POST', '/knowledge/articles', { ...paragraphs, comment: 'New law' });
    const { id, subject } = dataOf<{ id: string; subject: string }>(asked, 202);
    expect(asked.headers.get('location')).to.equal(`/v3/admin/approvals/${id}`);
    expectRefusal(await ask('GET', `/knowledge/articles/${subject}`), 404);
    expect((await one.call('POST', `/approvals/${id}/approve`)).status).to.equal(403);
    expect((await other.call('POST', `/approvals/${id}/approve`)).status).to.equal(200);
    expect(dataOf(await ask('GET', `/knowledge/articles/${subject}`))).to.include({
      title: 'Lost phone',
      changed_by: one.id,
    });

    const text = { ...paragraphs, content: 'First.\n\nAnother.\n\nThird.' };
    const edit = await ask('PUT', `/knowledge/articles/${subject}`, text, { 'if-match': '"1"' });
    const pending = dataOf<{ id: string; effects: object[] }>(edit, 202);
    expect(pending.effects).to.deep.equal([
      { target: 'content of Lost phone', before: 'Second.', after: 'Another.' },
    ]);

    const stale = await ask('PUT', '/prompts/scope', { content: 'x' }, { 'if-match': '"5"' });
    expectRefusal(stale, 412);
    const prompt = await ask('PUT', '/prompts/scope', { content: 'Only taxes.' });
    const approval = dataOf<{ id: string }>(prompt, 202);
    expect((await other.call('POST', `/approvals/${approval.id}/approve`)).status).to.equal(200);
    expect(dataOf(await ask('GET', '/prompts/scope'))).to.include({ content: 'Only taxes.' });
  });
});
