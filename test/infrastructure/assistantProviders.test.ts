import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { ProviderFailure } from '../../application/ports/providers.ts';
import { createAnthropicModels } from '../../infrastructure/assistant/anthropicModel.ts';
import { createOpenAiSpeechToText } from '../../infrastructure/assistant/openAiSpeechToText.ts';

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

  const signal = AbortSignal.timeout(10_000);

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
    expect(hasArrived).to.equal(false);
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
    const clip = { mime: 'audio/webm', bytes: Buffer.from('recording') };
    const speechToText = createOpenAiSpeechToText({ url: speech, model: 'model' });
    for (const failure of [
      await failureOf(ask(model)),
      await failureOf(speechToText.transcribe(clip, { signal })),
    ]) {
      expect(inspect(failure, { depth: 10 })).not.to.match(/Bat|1100/);
    }
  });
});
