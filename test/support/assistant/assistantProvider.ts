import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hashedEmbedding } from './hashedEmbedding.ts';
import { faultOf } from './messagesApi.ts';
import {
  type ModelBehaviour,
  type MessagesRequest,
  performModel,
  refuse,
} from './modelBehaviours.ts';

/** A request for a transcription as it arrived. */
export interface TranscriptionRequest {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: { readonly name: string; readonly type: string; readonly bytes: Buffer };
}

/** Behaviour of an audio or embeddings endpoint; default: success. */
export type EndpointBehaviour =
  | 'works'
  | { readonly status: number }
  /** Takes the request and never answers. */
  | 'stalls'
  /** Breaks the connection. */
  | 'cuts'
  /** Answers 200 with something else. */
  | {
      readonly answers: string | Buffer;
      readonly headers?: Readonly<Record<string, string>>;
    };

export interface SpeechRequest {
  readonly model: string;
  readonly input: string;
  readonly voice: string;
  readonly response_format: string;
}

/** A provider double: the Messages API, and OpenAI-compatible transcriptions, speech and embeddings. */
export interface AssistantProviderDouble {
  /** `ANTHROPIC_BASE_URL`. */
  readonly origin: string;
  /** `SVC_AI_STT_URL` and its like. */
  readonly base: string;
  /** Requests to the double, in order. */
  readonly asked: {
    readonly messages: MessagesRequest[];
    readonly transcriptions: TranscriptionRequest[];
    readonly speech: SpeechRequest[];
    readonly embeddings: (readonly string[])[];
  };
  /** Calls of the model, and those that stalled, whose caller went away before the end of the answer. */
  readonly abandoned: number;
  /** Behaviours of the model in its next calls, in turn; the last one repeats. */
  model(...behaviours: readonly ModelBehaviour[]): void;
  /** Transcription of recordings; empty for silence. */
  hears(text: string): void;
  /** Behaviours of an endpoint in its next calls, in turn; then success. */
  endpoint(
    name: 'transcriptions' | 'speech' | 'embeddings',
    ...behaviours: readonly EndpointBehaviour[]
  ): void;
  /** Resets the double. */
  reset(): void;
  stop(): Promise<void>;
}

/** The key the double demands of everybody who calls it. */
export const providerKey = 'test-provider-key';

/** Settings that lead a service to the double. */
export function providerSettings(double: Pick<AssistantProviderDouble, 'origin' | 'base'>) {
  return {
    ANTHROPIC_API_KEY: providerKey,
    ANTHROPIC_BASE_URL: double.origin,
    SVC_AI_STT_URL: double.base,
    SVC_AI_STT_KEY: providerKey,
    SVC_AI_TTS_URL: double.base,
    SVC_AI_TTS_KEY: providerKey,
    SVC_AI_EMBEDDINGS_URL: double.base,
    SVC_AI_EMBEDDINGS_KEY: providerKey,
  };
}

/** A tone of 50 ms a character: 24 kHz, 16-bit, little-endian, as an OpenAI-compatible server makes `pcm`. */
export function spoken(text: string): Buffer {
  const samples = text.length * 1200;
  const pcm = Buffer.alloc(samples * 2);
  for (let at = 0; at < samples; at += 1) {
    pcm.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 440 * at) / 24_000)), at * 2);
  }
  return pcm;
}

export async function startAssistantProvider(): Promise<AssistantProviderDouble> {
  const asked: AssistantProviderDouble['asked'] = {
    messages: [],
    transcriptions: [],
    speech: [],
    embeddings: [],
  };
  let modelScript: readonly ModelBehaviour[] = [{ says: 'OK' }];
  let heard = '';
  let abandoned = 0;
  const endpoints = new Map<string, EndpointBehaviour[]>();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await read(request);
    const path = (request.url ?? '').split('?')[0];
    const isKnown =
      request.headers['x-api-key'] === providerKey ||
      request.headers.authorization === `Bearer ${providerKey}`;
    if (!isKnown) {
      refuse(response, 401, 'invalid x-api-key');
      return;
    }
    if (path === '/v1/messages') await messages(request, body, response);
    else if (path === '/v1/audio/transcriptions') transcriptions(request, body, response);
    else if (path === '/v1/audio/speech') speech(body, response);
    else if (path === '/v1/embeddings') embeddings(body, response);
    else json(response, 404, openAiError('unknown'));
  }

  async function messages(
    { headers }: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
  ): Promise<void> {
    const request = JSON.parse(body.toString('utf8')) as MessagesRequest;
    asked.messages.push(request);
    const fault = faultOf(request, headers);
    if (fault !== null) {
      refuse(response, 400, fault);
      return;
    }
    const [behaviour = { says: 'OK' }] = modelScript;
    if (modelScript.length > 1) modelScript = modelScript.slice(1);
    response.once('close', () => {
      if (!response.writableFinished && !('cuts' in behaviour)) abandoned += 1;
    });
    await performModel(behaviour, request, response);
  }

  function transcriptions(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    asked.transcriptions.push(formIn(request.headers['content-type'] ?? '', body));
    if (!misbehave('transcriptions', response)) json(response, 200, { text: heard });
  }

  function speech(body: Buffer, response: ServerResponse): void {
    const request = JSON.parse(body.toString('utf8')) as SpeechRequest;
    asked.speech.push(request);
    if (misbehave('speech', response)) return;
    response.writeHead(200, { 'content-type': 'audio/pcm' }).end(spoken(request.input));
  }

  function embeddings(body: Buffer, response: ServerResponse): void {
    const { input, model } = JSON.parse(body.toString('utf8')) as {
      input: string | string[];
      model: string;
    };
    const texts = typeof input === 'string' ? [input] : input;
    asked.embeddings.push(texts);
    if (misbehave('embeddings', response)) return;
    json(response, 200, {
      object: 'list',
      model,
      usage: { prompt_tokens: texts.length, total_tokens: texts.length },
      data: texts.map((text, index) => ({
        object: 'embedding',
        index,
        embedding: [...hashedEmbedding(text)],
      })),
    });
  }

  /** Tells whether the scripted behaviour replaced the response. */
  function misbehave(name: string, response: ServerResponse): boolean {
    const behaviour = endpoints.get(name)?.shift();
    if (behaviour === undefined || behaviour === 'works') return false;
    if (behaviour === 'cuts') response.destroy();
    else if (behaviour === 'stalls') response.once('close', () => (abandoned += 1));
    else {
      if ('status' in behaviour) json(response, behaviour.status, openAiError('no'));
      else {
        const { answers, headers = { 'content-type': 'application/json' } } = behaviour;
        response.writeHead(200, headers).end(answers);
      }
    }
    return true;
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    origin,
    base: `${origin}/v1`,
    asked,
    get abandoned() {
      return abandoned;
    },
    model: (...behaviours) => {
      modelScript = behaviours;
    },
    hears: (text) => {
      heard = text;
    },
    endpoint: (name, ...behaviours) => {
      endpoints.set(name, [...behaviours]);
    },
    reset: () => {
      for (const requests of Object.values(asked)) (requests as unknown[]).length = 0;
      modelScript = [{ says: 'OK' }];
      heard = '';
      abandoned = 0;
      endpoints.clear();
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** An error as OpenAI-compatible servers write it. */
function openAiError(message: string): object {
  return { error: { message, type: 'invalid_request_error', param: null, code: null } };
}

/** A form of fields and one file (RFC 7578). */
function formIn(type: string, body: Buffer): TranscriptionRequest {
  const boundary = `--${/boundary=([^;]+)/.exec(type)?.[1] ?? ''}`;
  const fields: Record<string, string> = {};
  let file = { name: '', type: '', bytes: Buffer.alloc(0) };
  for (const part of body.toString('latin1').split(boundary).slice(1, -1)) {
    const end = part.indexOf('\r\n\r\n');
    const head = part.slice(0, end);
    const bytes = Buffer.from(part.slice(end + 4, -2), 'latin1');
    const filename = /filename="([^"]*)"/.exec(head)?.[1];
    if (filename === undefined) fields[/name="([^"]*)"/.exec(head)?.[1] ?? ''] = bytes.toString();
    else file = { name: filename, type: /content-type: (.*)/i.exec(head)?.[1] ?? '', bytes };
  }
  return { fields, file };
}
