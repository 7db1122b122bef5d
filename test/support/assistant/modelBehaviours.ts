import type Anthropic from '@anthropic-ai/sdk';
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** A request to the Messages API, as far as tests look at it. */
export interface MessagesRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream?: boolean;
  readonly system?: readonly { readonly text: string; readonly cache_control?: object }[];
  readonly tools?: readonly {
    readonly name: string;
    readonly description: string;
    readonly input_schema: object;
  }[];
  readonly messages: readonly {
    readonly role: 'user' | 'assistant';
    readonly content: string | readonly MessageBlock[];
  }[];
}

export interface MessageBlock {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly thinking?: string;
  readonly signature?: string;
  /** Of a result: what stands before it, and the result. */
  readonly content?: readonly { readonly type: 'text'; readonly text: string }[];
  readonly is_error?: boolean;
}

/** Tool results in the last turn, if it has any. */
export function toolResultsIn({ messages }: MessagesRequest) {
  const { content = [] } = messages.at(-1) ?? {};
  const blocks = typeof content === 'string' ? [] : content;
  return blocks.flatMap(({ content: told = [], is_error, type }) =>
    type !== 'tool_result'
      ? []
      : [
          {
            preface: told[0]?.text ?? '',
            result: JSON.parse(told[1]?.text ?? '{}') as Readonly<Record<string, unknown>>,
            isError: is_error === true,
          },
        ],
  );
}

interface RawEvent {
  readonly type: string;
}

/** Stop reason of an answer. */
type StopReason = Anthropic.StopReason;

/** Behaviour of the model in one call. */
export type ModelBehaviour =
  /** Answers, word by word, after thinking; empty for an empty answer. */
  | { readonly says: string; readonly stopReason?: StopReason; readonly thinking?: string }
  /** Asks for tools; `raw` is sent as it is, whether JSON or not. */
  | {
      readonly calls: readonly {
        readonly name: string;
        readonly args?: object;
        readonly raw?: string;
      }[];
      readonly afterSaying?: string;
      readonly thinking?: string;
    }
  /** Sends events as they are, as another server of the same API might. */
  | { readonly events: readonly RawEvent[] }
  /** Refuses with a status. */
  | { readonly fails: number }
  /** Says this much, then breaks the connection. */
  | { readonly cuts: string }
  /** Says this much, then sends an error event. */
  | { readonly errs: string }
  /** Says this much, then nothing until the caller gives up. */
  | { readonly stalls: string }
  /** Answers by what it was asked. */
  | { readonly by: (request: MessagesRequest) => ModelBehaviour };

/** Tokens every answer is said to have taken. */
const usage = {
  input_tokens: 100,
  output_tokens: 20,
  cache_creation_input_tokens: 40,
  cache_read_input_tokens: 60,
};

/** Answers as the Messages API does: with server-sent events, as the service always asks for a stream. */
export async function performModel(
  behaviour: ModelBehaviour,
  request: MessagesRequest,
  response: ServerResponse,
): Promise<void> {
  if ('by' in behaviour) {
    await performModel(behaviour.by(request), request, response);
    return;
  }
  if ('fails' in behaviour) {
    refuse(response, behaviour.fails, 'scripted');
    return;
  }
  const send = sendingTo(response);
  if ('events' in behaviour) {
    for (const event of behaviour.events) await send(event);
    response.end();
    return;
  }
  await stream(behaviour, request, { response, send });
}

/** The errors of the Messages API, by status. */
const errorTypes: Readonly<Record<number, Anthropic.ErrorType>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** Refuses as the Messages API does: an error object, and the id of the request in it and in a header. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  const id = `req_${randomBytes(8).toString('hex')}`;
  const type = errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  response
    .writeHead(status, { 'content-type': 'application/json', 'request-id': id })
    .end(JSON.stringify({ type: 'error', error: { type, message }, request_id: id }));
}

function sendingTo(response: ServerResponse) {
  return (event: RawEvent) =>
    new Promise<void>((resolve) => {
      const text = `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
      if (!response.headersSent) response.writeHead(200, { 'content-type': eventStream });
      if (response.destroyed) resolve();
      else response.write(text, () => setImmediate(resolve));
    });
}

const eventStream = 'text/event-stream; charset=utf-8';

type Answering = Exclude<
  ModelBehaviour,
  { readonly fails: number } | { readonly by: unknown } | { readonly events: unknown }
>;

interface Block {
  readonly start: object;
  readonly deltas: readonly object[];
}

function blocksOf(behaviour: Answering): readonly Block[] {
  const thought = 'thinking' in behaviour ? thinkingBlock(behaviour.thinking) : [];
  if ('calls' in behaviour) {
    const { afterSaying = '', calls } = behaviour;
    return [
      ...thought,
      ...textBlock(afterSaying),
      ...calls.map(({ name, args = {}, raw = JSON.stringify(args) }) => ({
        start: { type: 'tool_use', id: `toolu_${randomBytes(8).toString('hex')}`, name, input: {} },
        // The first piece is empty, as it is there.
        deltas: ['', ...pieces(raw, /.{1,7}/gsu)].map((partial_json) => ({
          type: 'input_json_delta',
          partial_json,
        })),
      })),
    ];
  }
  if ('says' in behaviour) return [...thought, ...textBlock(behaviour.says)];
  if ('cuts' in behaviour) return textBlock(behaviour.cuts);
  return textBlock('errs' in behaviour ? behaviour.errs : behaviour.stalls);
}

function thinkingBlock(thinking = ''): readonly Block[] {
  if (thinking === '') return [];
  const deltas = [
    ...pieces(thinking, /\S+\s*/gu).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
    { type: 'signature_delta', signature: `signed ${thinking}` },
  ];
  return [{ start: { type: 'thinking', thinking: '', signature: '' }, deltas }];
}

function textBlock(text: string): readonly Block[] {
  if (text === '') return [];
  const deltas = pieces(text, /\S+\s*|\s+/gu).map((piece) => ({ type: 'text_delta', text: piece }));
  return [{ start: { type: 'text', text: '' }, deltas }];
}

function pieces(text: string, pattern: RegExp): readonly string[] {
  return text.match(pattern) ?? [];
}

async function stream(
  behaviour: Answering,
  request: MessagesRequest,
  {
    response,
    send,
  }: { readonly response: ServerResponse; readonly send: ReturnType<typeof sendingTo> },
): Promise<void> {
  await send(messageStart(request));
  for (const [index, { start, deltas }] of blocksOf(behaviour).entries()) {
    await send({ type: 'content_block_start', index, content_block: start } as RawEvent);
    await send({ type: 'ping' });
    for (const delta of deltas) {
      await send({ type: 'content_block_delta', index, delta } as RawEvent);
    }
    if (isWhole(behaviour)) await send({ type: 'content_block_stop', index } as RawEvent);
  }
  if ('stalls' in behaviour) return;
  if ('cuts' in behaviour) {
    response.destroy();
    return;
  }
  if ('errs' in behaviour) {
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    await send({ type: 'error', error } as RawEvent);
    response.end();
    return;
  }
  const delta = { stop_reason: stopReason(behaviour), stop_sequence: null };
  await send({ type: 'message_delta', delta, usage } as RawEvent);
  await send({ type: 'message_stop' });
  response.end();
}

function isWhole(behaviour: Answering): boolean {
  return 'says' in behaviour || 'calls' in behaviour;
}

function stopReason(behaviour: Answering): StopReason {
  if ('calls' in behaviour) return 'tool_use';
  return ('says' in behaviour ? behaviour.stopReason : undefined) ?? 'end_turn';
}

/** The first event: a message without content, and what reading the request took. */
export function messageStart({ model }: Pick<MessagesRequest, 'model'>, told: object = {}) {
  return {
    type: 'message_start',
    message: {
      id: `msg_${randomBytes(8).toString('hex')}`,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, output_tokens: 1, ...told },
    },
  };
}
