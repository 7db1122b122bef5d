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
  /** Of a result: what stands before it, and the result. */
  readonly content?: readonly { readonly type: 'text'; readonly text: string }[];
  readonly is_error?: boolean;
}

/** What the model was told of the tools it asked for, where the last turn is that. */
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

/** What the model does with one call. */
export type ModelBehaviour =
  /** Answers, word by word; empty for an empty answer. */
  | { readonly says: string; readonly stopReason?: string }
  /** Asks for tools; `raw` is sent as it is, whether JSON or not. */
  | {
      readonly calls: readonly {
        readonly name: string;
        readonly args?: object;
        readonly raw?: string;
      }[];
      readonly afterSaying?: string;
    }
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
export const usage = {
  ...{ input_tokens: 100, output_tokens: 20 },
  ...{ cache_creation_input_tokens: 40, cache_read_input_tokens: 60 },
};

/** Answers as the Messages API does: as server-sent events when `stream` was asked for, else as one message. */
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
    const error = { type: 'error', error: { type: 'api_error', message: 'scripted' } };
    const headers = { 'content-type': 'application/json' };
    response.writeHead(behaviour.fails, headers).end(JSON.stringify(error));
    return;
  }
  if (request.stream === true) await stream(behaviour, request, response);
  else whole(behaviour, request, response);
}

type Answering = Exclude<ModelBehaviour, { readonly fails: number } | { readonly by: unknown }>;

interface Block {
  readonly start: object;
  readonly deltas: readonly object[];
}

function blocksOf(behaviour: Answering): readonly Block[] {
  if ('calls' in behaviour) {
    const { afterSaying = '', calls } = behaviour;
    return [
      ...textBlock(afterSaying),
      ...calls.map(({ name, args = {}, raw = JSON.stringify(args) }) => ({
        start: { type: 'tool_use', id: `toolu_${randomBytes(8).toString('hex')}`, name, input: {} },
        deltas: pieces(raw, /.{1,7}/gsu).map((partial_json) => ({
          ...{ type: 'input_json_delta', partial_json },
        })),
      })),
    ];
  }
  if ('says' in behaviour) return textBlock(behaviour.says);
  if ('cuts' in behaviour) return textBlock(behaviour.cuts);
  return textBlock('errs' in behaviour ? behaviour.errs : behaviour.stalls);
}

function textBlock(text: string): readonly Block[] {
  if (text === '') return [];
  const deltas = pieces(text, /\S+\s*|\s+/gu).map((piece) => ({ type: 'text_delta', text: piece }));
  return [{ start: { type: 'text', text: '', citations: null }, deltas }];
}

function pieces(text: string, pattern: RegExp): readonly string[] {
  return text.match(pattern) ?? [];
}

async function stream(
  behaviour: Answering,
  request: MessagesRequest,
  response: ServerResponse,
): Promise<void> {
  const send = (event: { readonly type: string }) =>
    new Promise<void>((resolve) => {
      const text = `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
      if (response.destroyed) resolve();
      else response.write(text, () => setImmediate(resolve));
    });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const message = messageOf(request, [], null);
  await send({ type: 'message_start', message } as { type: string });
  for (const [index, { start, deltas }] of blocksOf(behaviour).entries()) {
    await send({ type: 'content_block_start', index, content_block: start } as { type: string });
    for (const delta of deltas) {
      await send({ type: 'content_block_delta', index, delta } as { type: string });
    }
    if (isWhole(behaviour)) await send({ type: 'content_block_stop', index } as { type: string });
  }
  if ('stalls' in behaviour) return;
  if ('cuts' in behaviour) {
    response.destroy();
    return;
  }
  if ('errs' in behaviour) {
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    await send({ type: 'error', error } as { type: string });
    response.end();
    return;
  }
  const delta = { stop_reason: stopReason(behaviour), stop_sequence: null };
  await send({ type: 'message_delta', delta, usage } as { type: string });
  await send({ type: 'message_stop' });
  response.end();
}

function isWhole(behaviour: Answering): boolean {
  return 'says' in behaviour || 'calls' in behaviour;
}

function stopReason(behaviour: Answering): string {
  if ('calls' in behaviour) return 'tool_use';
  return ('says' in behaviour ? behaviour.stopReason : undefined) ?? 'end_turn';
}

function whole(behaviour: Answering, request: MessagesRequest, response: ServerResponse): void {
  if (!isWhole(behaviour)) {
    if (!('stalls' in behaviour)) response.destroy();
    return;
  }
  const content =
    'calls' in behaviour
      ? behaviour.calls.map(({ name, args = {} }) => ({
          ...{ type: 'tool_use', id: `toolu_${randomBytes(8).toString('hex')}`, name, input: args },
        }))
      : [{ type: 'text', text: 'says' in behaviour ? behaviour.says : '', citations: null }];
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify(messageOf(request, content, stopReason(behaviour))));
}

function messageOf({ model }: MessagesRequest, content: readonly object[], stop: string | null) {
  return {
    id: `msg_${randomBytes(8).toString('hex')}`,
    ...{ type: 'message', role: 'assistant', model, content },
    ...{ stop_reason: stop, stop_sequence: null },
    usage: { ...usage, output_tokens: stop === null ? 1 : usage.output_tokens },
  };
}
