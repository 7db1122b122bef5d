import { expect } from 'chai';
import type { ModelUsage } from '../../application/assistant/ports/languageModel.ts';
import { createAnthropicModels } from '../../infrastructure/assistant/anthropicModel.ts';
import {
  type AssistantProviderDouble,
  providerKey,
  startAssistantProvider,
} from '../support/assistant/assistantProvider.ts';
import { messageStart, type ModelBehaviour } from '../support/assistant/modelBehaviours.ts';

describe('Answers of the Messages API, put together from their events', () => {
  let provider: AssistantProviderDouble;

  before(async () => {
    provider = await startAssistantProvider();
  });
  beforeEach(() => provider.reset());
  after(() => provider.stop());

  const used: ModelUsage[] = [];

  function ask(
    behaviour: ModelBehaviour,
    {
      signal = AbortSignal.timeout(10_000),
      onText = () => undefined,
    }: { signal?: AbortSignal; onText?: (piece: string) => void } = {},
  ) {
    provider.model(behaviour);
    used.length = 0;
    const options = { apiKey: providerKey, baseUrl: provider.origin, maxTokens: 64 };
    const turns = [{ role: 'user', text: 'What is a seal?' }] as const;
    return createAnthropicModels(options)('model').reply(
      { system: ['Answer.'], turns, tools: [] },
      { signal, onText, onUsage: (usage) => used.push(usage) },
    );
  }

  it('pings and empty pieces of arguments are nothing', async () => {
    const args = { query: 'seal' };
    const reply = await ask({ calls: [{ name: 'search_knowledge', args }] });
    expect(reply.calls.map(({ name, args: given }) => [name, given])).to.deep.equal([
      ['search_knowledge', args],
    ]);
  });

  it('thinking is given back as it came, and is no part of the text', async () => {
    const reply = await ask({ thinking: 'Hm, a seal.', says: 'A stamp.' });
    expect(reply.text).to.equal('A stamp.');
    expect(reply.native).to.deep.equal([
      { type: 'thinking', thinking: 'Hm, a seal.', signature: 'signed Hm, a seal.' },
      { type: 'text', text: 'A stamp.' },
    ]);
  });

  it('blanks before a call are not given back: the API takes no blank text', async () => {
    const reply = await ask({ afterSaying: '\n\n', calls: [{ name: 'get_server_time' }] });
    const types = (reply.native as { type: string }[]).map(({ type }) => type);
    expect(types).to.deep.equal(['tool_use']);
  });

  it('a refusal is told from an answer that ends', async () => {
    expect((await ask({ says: 'To break a seal', stopReason: 'refusal' })).isRefused).to.equal(
      true,
    );
    for (const stopReason of ['end_turn', 'max_tokens', 'stop_sequence'] as const) {
      expect((await ask({ says: 'A stamp.', stopReason })).isRefused).to.equal(false);
    }
  });

  const block = (index: number, content_block: object) => ({
    type: 'content_block_start',
    index,
    content_block,
  });
  const ends = (usage: object) => [
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];

  it('servers that put text and arguments into the beginning of a block are understood', async () => {
    const input = { query: 'seal' };
    const shown: string[] = [];
    const reply = await ask(
      {
        events: [
          messageStart({ model: 'model' }),
          block(0, { type: 'text', text: 'Let me ' }),
          { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'look.' } },
          block(1, { type: 'tool_use', id: 'toolu_1', name: 'search_knowledge', input }),
          ...ends({ output_tokens: 9 }),
        ] as { type: string }[],
      },
      { onText: (piece) => shown.push(piece) },
    );
    expect(reply.text).to.equal('Let me look.');
    expect(shown.join('')).to.equal('Let me look.');
    expect(reply.calls[0]?.args).to.deep.equal(input);
    expect(reply.native).to.deep.equal([
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', id: 'toolu_1', name: 'search_knowledge', input },
    ]);
  });

  it('tokens that are told at the end alone are counted', async () => {
    const nothingYet = {
      input_tokens: 0,
      cache_creation_input_tokens: null,
      cache_read_input_tokens: null,
    };
    await ask({
      events: [
        messageStart({ model: 'model' }, nothingYet),
        block(0, { type: 'text', text: 'Yes.' }),
        ...ends({ input_tokens: 70, output_tokens: 9, cache_read_input_tokens: 5 }),
      ] as { type: string }[],
    });
    expect(used).to.deep.equal([
      { model: 'model', input: 70, output: 9, cacheRead: 5, cacheWrite: 0 },
    ]);
  });

  it('counts the generated part of an aborted answer, since it is billed', async () => {
    const stalled = 'word '.repeat(400);
    const leaving = new AbortController();
    let heard = 0;
    const onText = () => {
      heard += 1;
      if (heard === 400) leaving.abort();
    };
    const failed = await ask({ stalls: stalled }, { signal: leaving.signal, onText }).catch(
      (error: unknown) => error,
    );
    expect(failed).to.have.property('name', 'ProviderFailure');
    expect(used[0]).to.include({ input: 100, cacheRead: 60, cacheWrite: 40 });
    expect(used[0]?.output).to.be.within(400, 1000);
  });

  it('a stream without an end is given up', async () => {
    const endless = { type: 'text_delta', text: 'x'.repeat(1024 * 1024) };
    const event = { type: 'content_block_delta', index: 0, delta: endless };
    const failed = await ask({
      events: [
        ...[messageStart({ model: 'model' }), block(0, { type: 'text', text: '' })],
        ...Array<object>(40).fill(event),
        ...ends({ output_tokens: 9 }),
      ] as { type: string }[],
    }).catch((error: unknown) => error);
    expect(failed).to.have.property('name', 'ProviderFailure');
  });

  describe("N19: a provider's own numbers are refused", () => {
    const start = messageStart({ model: 'model' });
    const text = { type: 'text', text: 'Yes.' };
    const call = (index: number) =>
      block(index, { type: 'tool_use', id: `toolu_${index}`, name: 'search_knowledge', input: {} });
    const hostile: Readonly<Record<string, readonly object[]>> = {
      'an index far away': [start, block(4e8, text), ...ends({ output_tokens: 9 })],
      'a negative index': [start, block(-1, text), ...ends({ output_tokens: 9 })],
      'an index that is taken': [start, block(0, text), block(0, text), ...ends({})],
      'an index that is none': [start, block(0.5, text), ...ends({ output_tokens: 9 })],
      '17 blocks': [start, ...Array.from({ length: 17 }, (_, index) => call(index)), ...ends({})],
      'negative tokens, which would give a budget back': [
        messageStart({ model: 'model' }, { input_tokens: -1e9 }),
        block(0, text),
        ...ends({ output_tokens: 9 }),
      ],
      'tokens without end': [start, block(0, text), ...ends({ output_tokens: 1e300 })],
    };
    for (const [what, events] of Object.entries(hostile)) {
      it(what, async () => {
        const failed = await ask({ events: events as { type: string }[] }).catch(
          (error: unknown) => error,
        );
        expect(failed).to.have.property('name', 'ProviderFailure');
        for (const { input, output } of used) {
          expect(input).to.be.within(0, 1e7);
          expect(output).to.be.within(0, 1e7);
        }
      });
    }

    it('16 blocks are taken', async () => {
      const calls = Array.from({ length: 16 }, (_, index) => call(index));
      const events = [start, ...calls, ...ends({ output_tokens: 9 })] as { type: string }[];
      expect((await ask({ events })).calls).to.have.length(16);
    });
  });
});
