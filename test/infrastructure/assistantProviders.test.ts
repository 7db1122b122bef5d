import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { ProviderFailure } from '../../application/assistant/ports/providers.ts';
import { createAnthropicModels } from '../../infrastructure/assistant/anthropicModel.ts';
import { createOpenAiEmbeddings } from '../../infrastructure/assistant/openAiEmbeddings.ts';
import { createOpenAiSpeechToText } from '../../infrastructure/assistant/openAiSpeechToText.ts';
import { createOpenAiTextToSpeech } from '../../infrastructure/assistant/openAiTextToSpeech.ts';

describe('Providers of the assistant', () => {
  const servers: Server[] = [];

  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  async function start(listener: RequestListener): Promise<string> {
    const server = createServer((request, response) => {
      request.resume().on('end', () => listener(request, response));
    });
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  let signal: AbortSignal;
  // Of each test its own: one of the file would be over when its turn comes late.
  beforeEach(() => {
    signal = AbortSignal.timeout(20_000);
  });
  const clip = { mime: 'audio/webm', bytes: Buffer.from('recording') };

  function ask(baseUrl: string): Promise<unknown> {
    const models = createAnthropicModels({ apiKey: 'key', baseUrl, maxTokens: 64 });
    const turns = [{ role: 'user', text: 'What is a seal?' }] as const;
    return models('model').reply({ system: ['Answer.'], turns, tools: [] }, { signal });
  }

  async function failureOf(answer: Promise<unknown>): Promise<ProviderFailure> {
    const failure = await answer.then(
      () => null,
      (error: unknown) => error,
    );
    if (failure instanceof ProviderFailure) return failure;
    throw new Error('No failure of a provider.', { cause: failure });
  }

  it('are not followed to another address: a question stays where the settings say', async () => {
    let hasArrived = false;
    const elsewhere = await start((_request, response) => {
      hasArrived = true;
      response.end();
    });
    const redirecting = await start((_request, response) => {
      response.writeHead(307, { location: `${elsewhere}/v1/messages` }).end();
    });
    await failureOf(ask(redirecting));
    for (const call of callsOf(redirecting)) await failureOf(call());
    expect(hasArrived).to.equal(false);
  });

  /** Every call to an OpenAI-compatible server. */
  const callsOf = (url: string) => [
    () => createOpenAiSpeechToText({ url, model: 'model' }).transcribe(clip, { signal }),
    () => createOpenAiTextToSpeech({ url, model: 'model', voice: 'v' }).speak('x', { signal }),
    () => createOpenAiEmbeddings({ url, model: 'model' }).embed(['x'], signal),
  ];

  it('whose packed answer is thousand times as large unpacked are given up', async () => {
    const gigabyte = gzipSync(Buffer.alloc(128 * 1024 * 1024));
    const bomb = await start((request, response) => {
      const type = request.url === '/v1/messages' ? 'text/event-stream' : 'audio/pcm';
      response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' }).end(gigabyte);
    });
    const before = process.memoryUsage().arrayBuffers;
    for (const call of [() => ask(bomb), ...callsOf(bomb)]) {
      const failure = await failureOf(call());
      expect(inspect(failure, { depth: 10 })).to.include('too long');
    }
    expect(process.memoryUsage().arrayBuffers - before).to.be.below(128 * 1024 * 1024);
  });

  it('N19: vectors of any length, or of numbers beyond single precision, are refused', async () => {
    for (const embedding of [Array<number>(8193).fill(1), [1e300, 1], [NaN, 1]]) {
      const url = await start((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ data: [{ index: 0, embedding }] }));
      });
      await failureOf(createOpenAiEmbeddings({ url, model: 'model' }).embed(['x'], signal));
    }
  });

  it('that refuse with an endless page are given up', async () => {
    const page = gzipSync(Buffer.alloc(128 * 1024 * 1024, '<p>'));
    const bomb = await start((_request, response) => {
      const headers = { 'content-type': 'text/html', 'content-encoding': 'gzip' };
      response.writeHead(502, headers).end(page);
    });
    for (const call of [() => ask(bomb), ...callsOf(bomb)]) {
      expect((await failureOf(call())).isTransient).to.equal(true);
    }
  });

  it('that answer nonsense are not quoted in what is logged', async () => {
    const said = 'Bat-Erdene, 110000000001';
    const model = await start((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`event: message_start\ndata: ${said}\n\n`);
    });
    const speech = await start((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(said);
    });
    const speechToText = createOpenAiSpeechToText({ url: speech, model: 'model' });
    for (const failure of [
      await failureOf(ask(model)),
      await failureOf(speechToText.transcribe(clip, { signal })),
    ]) {
      expect(inspect(failure, { depth: 10 })).not.to.match(/Bat|1100/);
    }
  });
});
