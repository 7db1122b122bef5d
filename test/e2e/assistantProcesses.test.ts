import { expect } from 'chai';
import {
  type AssistantProviderDouble,
  providerSettings,
  startAssistantProvider,
} from '../support/assistant/assistantProvider.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { type Answer, call } from '../../main/drill/callers.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { startRedis, type TestRedis } from '../support/programs/redis.ts';
import {
  createServiceProcess,
  type ServiceProcess,
} from '../support/installation/serviceProcess.ts';

const admin = '/api/v1/admin/ai/knowledge';

interface Progress {
  readonly articles: number;
  readonly passages: number;
  readonly embedded: number;
}

describe('The assistant in two processes on one database and one Redis', function () {
  this.timeout(120_000);
  let provider: AssistantProviderDouble;
  let redis: TestRedis;
  let one: ServiceProcess;
  let other: ServiceProcess;

  before(async function () {
    const started = await startRedis();
    if (started === null) {
      process.stdout.write('  Skipped: there is no redis-server on this machine.\n');
      this.skip();
    }
    redis = started;
    provider = await startAssistantProvider();
    const common = {
      ...providerSettings(provider),
      SVC_DATABASE_URL: await migratedDatabase(),
      SVC_REDIS_URL: redis.url,
    };
    one = await createServiceProcess(common);
    other = await createServiceProcess(common);
    await one.start();
    await other.start();
  });

  after(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await provider.stop();
    await redis.stop();
  });

  const ask = ({ origin }: ServiceProcess, path: string, body?: object): Promise<Answer> =>
    call(origin + path, { method: body === undefined ? 'GET' : 'POST', ...(body && { body }) });
  const add = async (at: ServiceProcess, title: string, content: string) => {
    const text = { title, content, tags: [], language: 'en', source: null };
    expect((await ask(at, `${admin}/articles`, text)).status).to.equal(201);
  };
  const progressAt = async (at: ServiceProcess) =>
    (await ask(at, `${admin}/reindex`)).body['data'] as Progress;

  it('an article published at one is found at the other, by vectors', async () => {
    await add(one, 'Opening hours', 'The service points are open from nine to six.');
    await eventually(async () => {
      const found = await ask(other, `${admin}/search`, { query: 'service points open hours' });
      expect(found.body['data']).to.include({ mode: 'vector', count: 1 });
    }, 10_000);
    await add(other, 'Seals', 'Organizations seal documents with a certificate of their own.');
    await eventually(async () => {
      const found = await ask(one, `${admin}/search`, { query: 'organizations seal documents' });
      const { mode, results } = found.body['data'] as { mode: string; results: object[] };
      expect(mode).to.equal('vector');
      expect(results[0]).to.include({ title: 'Seals' });
    }, 10_000);
  });

  it('limits of an address are one for both: six questions a minute, twenty sentences', async () => {
    const rows = [
      ['/public/ai/chat', { message: 'x', lang: 'en' }, 6],
      ['/public/ai/tts', { text: 'x' }, 20],
    ] as const;
    for (const [path, body, limit] of rows) {
      // A minute begins with its first question; on a busy machine it may be over before the last one.
      let begun = performance.now();
      for (let left: number = limit, sent = 0; left > 0; sent += 1) {
        const { status, headers } = await ask(sent % 2 === 0 ? one : other, path, body);
        expect(status).to.equal(200);
        const remaining = Number(headers.get('x-ratelimit-remaining'));
        const isNextMinute = performance.now() - begun > 59_000 && remaining === limit - 1;
        if (isNextMinute) begun = performance.now();
        else expect(remaining).to.equal(left - 1);
        left = remaining;
      }
      for (const at of [one, other]) {
        const { status, headers } = await ask(at, path, body);
        expect(status).to.equal(429);
        expect(Number(headers.get('retry-after'))).to.be.within(1, 60);
      }
    }
  });

  it('a reindex whose process is killed resumes in another, and keeps finished vectors', async () => {
    const { passages: before } = await progressAt(one);
    await other.stop();
    // Nobody embeds while the articles are written: more than two calls' worth of passages.
    provider.endpoint('embeddings', ...Array<{ status: number }>(200).fill({ status: 503 }));
    const paragraph = (number: number) => `p${number} ${'x'.repeat(1150)}`;
    for (let article = 0; article < 10; article += 1) {
      const content = Array.from({ length: 15 }, (_, part) => paragraph(article * 15 + part));
      await add(one, `Part ${article}`, content.join('\n\n'));
    }
    const passages = before + 150;
    await eventually(async () => {
      expect(await progressAt(one)).to.include({ passages, embedded: before });
    }, 10_000);
    // One call is answered, no other, and then the process is gone.
    provider.asked.embeddings.length = 0;
    provider.endpoint('embeddings', 'works', ...Array<'stalls'>(10).fill('stalls'));
    const reindexing = ask(one, `${admin}/reindex`, {}).catch(() => null);
    await eventually(async () => {
      expect(await progressAt(one)).to.include({ embedded: before + 64 });
    }, 20_000);
    const [made = []] = provider.asked.embeddings;
    await one.kill();
    await reindexing;
    provider.endpoint('embeddings');
    provider.asked.embeddings.length = 0;

    await other.start();
    await eventually(async () => {
      expect(await progressAt(other)).to.include({ passages, embedded: passages });
    }, 30_000);
    const again = new Set(provider.asked.embeddings.flat());
    expect(made).to.have.length(64);
    expect(made.filter((text) => again.has(text))).to.deep.equal([]);
    expect(again.size).to.equal(150 - 64);
  });
});
