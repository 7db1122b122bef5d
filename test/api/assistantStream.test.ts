import { expect } from 'chai';
import { atItsLimitToday, cannotAnswerNow } from '../../application/assistant/fixedTexts.ts';
import {
  type AssistantWorld,
  eventsIn,
  recording,
  startAssistantWorld,
} from '../support/worlds/assistantWorld.ts';
import { until } from '../support/http/http.ts';

describe('POST /public/ai/chat/stream: anonymous chat as server-sent events', () => {
  let world: AssistantWorld;

  before(async () => {
    world = await startAssistantWorld();
  });
  beforeEach(() => world.provider.reset());
  after(() => world.stop());

  /** The text on the screen in the end, and the names of the events, deltas in a row as one. */
  async function watch(body: object) {
    const { status, headers, events } = await world.stream(body);
    let shown = '';
    const names: string[] = [];
    for (const { event, data } of events) {
      if (event === 'delta') shown += String(data['text']);
      if (event === 'reset') shown = '';
      if (event !== 'delta' || names.at(-1) !== 'delta') names.push(event);
    }
    return { status, headers, events, shown, names, last: events.at(-1)?.data };
  }

  it('the answer as it is written: delta…, done', async () => {
    world.provider.model({ says: 'Дан гарын үсэг хоёр ПИН кодтой.' });
    const { status, shown, names, last, events } = await watch({ message: 'x' });
    expect(status).to.equal(200);
    expect(names).to.deep.equal(['delta', 'done']);
    expect(events).to.have.length.greaterThan(4);
    expect(shown).to.equal('Дан гарын үсэг хоёр ПИН кодтой.');
    expect(last).to.deep.equal({ degraded: false, transcript: '' });
  });

  it('is sent while it is written, not at its end', async () => {
    world.provider.model({ stalls: 'The first words' });
    const controller = new AbortController();
    const response = await fetch(`${world.origin}/public/ai/chat/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'x' }),
      signal: controller.signal,
    });
    const reader = response.body?.getReader();
    let text = '';
    while (!text.includes('words')) {
      const piece = (await reader?.read()) as { readonly value?: Uint8Array } | undefined;
      text += Buffer.from(piece?.value ?? []).toString('utf8');
    }
    expect(text).to.match(/^event: delta\ndata: \{"text":"The "\}\n\n/);
    expect(world.provider.abandoned).to.equal(0);
    // A client that goes away: the call of the provider is aborted.
    controller.abort();
    await until(() => world.provider.abandoned === 1);
    expect(world.provider.asked.messages).to.have.length(1);
  });

  it('headers: no-cache, no-transform, X-Accel-Buffering: no', async () => {
    const { headers } = await watch({ message: 'x' });
    expect(headers.get('content-type')).to.equal('text/event-stream; charset=utf-8');
    expect(headers.get('cache-control')).to.equal('no-cache, no-transform');
    expect(headers.get('x-accel-buffering')).to.equal('no');
    expect(headers.get('x-ratelimit-limit')).to.equal('1000000');
  });

  it('a transcript event for voice questions, then the answer', async () => {
    world.provider.hears('ПИН код гэж юу вэ?');
    const { names, events, last } = await watch({ audio: recording() });
    expect(names).to.deep.equal(['transcript', 'delta', 'done']);
    expect(events[0]?.data).to.deep.equal({ text: 'ПИН код гэж юу вэ?' });
    expect(last).to.deep.equal({ degraded: false, transcript: 'ПИН код гэж юу вэ?' });
  });

  it('no speech: an empty transcript, then done, degraded', async () => {
    const { names, last } = await watch({ audio: recording() });
    expect(names).to.deep.equal(['transcript', 'done']);
    expect(last).to.deep.equal({ degraded: true, transcript: '' });
  });

  it('what it said before it looked things up is taken back by reset', async () => {
    world.provider.model(
      { afterSaying: 'Let me look.', calls: [{ name: 'search_knowledge', args: { query: 'x' } }] },
      { says: 'Found.' },
    );
    const { names, shown } = await watch({ message: 'x' });
    expect(names).to.deep.equal(['delta', 'reset', 'delta', 'done']);
    expect(shown).to.equal('Found.');
  });

  it('what it said in the letters of another language is taken back by reset', async () => {
    world.provider.model({ says: 'Please call the help desk at once.' }, { says: 'Залгана уу.' });
    const { names, shown } = await watch({ message: 'x', lang: 'mn' });
    expect(names).to.deep.equal(['delta', 'reset', 'delta', 'done']);
    expect(shown).to.equal('Залгана уу.');
  });

  for (const behaviour of [{ cuts: 'Half an answ' }, { errs: 'Half an answ' }]) {
    it(`a provider that fails midway ${JSON.stringify(behaviour)}: reset, then the answer of the next attempt`, async () => {
      world.provider.model(behaviour, { says: 'Whole.' });
      const { names, shown, last } = await watch({ message: 'x' });
      expect(names).to.deep.equal(['delta', 'reset', 'delta', 'done']);
      expect(shown).to.equal('Whole.');
      expect(last).to.deep.equal({ degraded: false, transcript: '' });
    });

    it(`a provider that fails midway ${JSON.stringify(behaviour)} each time: reset, then the fallback`, async () => {
      world.provider.model(behaviour);
      const { names, shown, last } = await watch({ message: 'x', lang: 'en' });
      expect(names).to.deep.equal([
        ...['delta', 'reset', 'delta', 'reset', 'delta', 'reset', 'delta', 'done'],
      ]);
      expect(shown).to.equal(cannotAnswerNow.en);
      expect(last).to.deep.equal({ degraded: true, transcript: '' });
    });
  }

  it('a provider that fails before it said anything: the fallback without reset', async () => {
    world.provider.model({ fails: 429 });
    const { names, shown } = await watch({ message: 'x', lang: 'ru' });
    expect(names).to.deep.equal(['delta', 'done']);
    expect(shown).to.equal(cannotAnswerNow.ru);
    expect(shown).not.to.equal(atItsLimitToday.ru);
  });

  it('an answer of blanks is no answer: reset, then the fallback', async () => {
    world.provider.model({ says: ' \n ' });
    const { names, shown } = await watch({ message: 'x' });
    expect(names).to.deep.equal(['delta', 'reset', 'delta', 'done']);
    expect(shown).to.equal(cannotAnswerNow.mn);
  });

  it('what waiting does not repair: error {message: "ai stream failed"}, cause logged', async () => {
    world.provider.model({ fails: 401 });
    const { status, names, last } = await watch({ message: 'x' });
    expect(status).to.equal(200);
    expect(names).to.deep.equal(['error']);
    expect(last).to.deep.equal({ message: 'ai stream failed' });
    const line = world.log.findLast(({ level }) => level === 'error');
    expect(line?.message).to.include('stream');
    expect(line?.fields).to.have.property('requestId');
  });

  it('every event is one line of JSON, whatever is in it', async () => {
    world.provider.model({ says: 'a\nb\r\nevent: done\ndata: {}\n\nc \u2028 d' });
    const { names, shown } = await watch({ message: 'x' });
    expect(names).to.deep.equal(['delta', 'done']);
    expect(shown).to.equal('a\nb\r\nevent: done\ndata: {}\n\nc \u2028 d');
  });

  for (const path of ['/api/v1/public/ai/chat/stream', '/api/v1/ai/chat/stream']) {
    it(`is also at ${path}`, async () => {
      const response = await fetch(world.origin + path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${world.token}`,
        },
        body: JSON.stringify({ message: 'x' }),
      });
      expect(response.status).to.equal(200);
      expect(eventsIn(await response.text()).map(({ event }) => event)).to.deep.equal([
        ...['delta', 'done'],
      ]);
    });
  }

  it('for the signed-in has all their tools, and is for nobody else', async () => {
    await fetch(`${world.origin}/api/v1/ai/chat/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${world.token}` },
      body: JSON.stringify({ message: 'x' }),
    });
    const names = world.provider.asked.messages[0]?.tools?.map(({ name }) => name);
    expect(names).to.deep.equal(['search_knowledge', 'get_server_time']);
    expect((await world.post('/api/v1/ai/chat/stream', { message: 'x' }, null)).status).to.equal(
      401,
    );
  });
});
