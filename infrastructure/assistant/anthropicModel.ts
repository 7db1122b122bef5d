import type { Anthropic, APIError } from '@anthropic-ai/sdk';
import type {
  LanguageModel,
  ModelCall,
  ModelRequest,
  ModelTurn,
} from '../../application/assistant/ports/languageModel.ts';
import { ProviderFailure } from '../../application/assistant/ports/providers.ts';
import { upTo } from '../boundedBody.ts';
import { createMessageReader } from './messageReader.ts';

export interface AnthropicOptions {
  readonly apiKey: string;
  /** Default: the provider's own address. */
  readonly baseUrl?: string | undefined;
  readonly maxTokens: number;
  /** Called after every request. @param status the HTTP status, or `error` without a complete response */
  readonly onCalled?: (operation: string, status: string, seconds: number) => void;
}

const OWN_ADDRESS = 'https://api.anthropic.com';

/** Language models behind the Messages API, by name. */
export function createAnthropicModels(options: AnthropicOptions): (model: string) => LanguageModel {
  const { apiKey, baseUrl = OWN_ADDRESS, maxTokens, onCalled = () => undefined } = options;
  let opened: Promise<Anthropic> | undefined;

  /**
   * Loads the SDK at the first question: loading takes a fifth of a process's start, and most processes never need it.
   */
  async function open(): Promise<Anthropic> {
    const { Anthropic: Client } = await import('@anthropic-ai/sdk');
    return new Client({
      apiKey,
      authToken: null,
      baseURL: baseUrl,
      // Retries are the agent loop's decision; the deadline comes from the caller.
      maxRetries: 0,
      timeout: 600_000,
      // Questions of citizens go to the configured host only: redirects are refused.
      fetchOptions: { redirect: 'error' },
      fetch: fetchUpToLimit,
      // Prompts must not reach logs or traces, whatever the environment sets.
      logLevel: 'off',
      openTelemetry: false,
    });
  }

  return (model) => ({
    async reply(request, call) {
      const started = performance.now();
      let status = 'error';
      try {
        const client = await (opened ??= open());
        const stream = await client.messages.create(
          { ...messageOf(request), model, max_tokens: maxTokens, stream: true },
          { signal: call.signal },
        );
        const reply = await read(stream, model, call);
        status = '200';
        return reply;
      } catch (error) {
        if (error instanceof ProviderFailure) throw error;
        const failure = failureOf(error);
        if (failure.status !== undefined) status = String(failure.status);
        throw new ProviderFailure('languageModel', failure);
      } finally {
        onCalled('messages', status, (performance.now() - started) / 1000);
      }
    },
  });
}

/** Longest response, bytes: several times the maximum number of tokens as events. */
const LONGEST_ANSWER = 16 * 1024 * 1024;

/** The SDK buffers a body, or a line of it, until it ends; an endless response would exhaust memory. */
async function fetchUpToLimit(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  return new Response(upTo(response.body, LONGEST_ANSWER), { status, statusText, headers });
}

async function read(
  stream: AsyncIterable<Anthropic.RawMessageStreamEvent>,
  model: string,
  { onText, onUsage }: ModelCall,
) {
  const reader = createMessageReader(model, onText);
  try {
    for await (const event of stream) reader.take(event);
  } finally {
    const usage = reader.usage();
    if (usage !== null) onUsage?.(usage);
  }
  return reader.reply();
}

/** The response text is left out of the cause: it may quote the prompt, and causes are logged. */
function failureOf(error: unknown) {
  // Parser errors quote their input.
  if (error instanceof SyntaxError) {
    const cause = new Error('The Messages API sent an unknown event.');
    return { isTransient: true, cause, status: undefined };
  }
  if (!isApiError(error)) return { isTransient: true, cause: error, status: undefined };
  const status = error.status;
  // An error inside a stream has no HTTP status: usually the service is overloaded.
  const isTransient = status === undefined || status === 429 || status >= 500;
  const requestId = error.requestID ?? 'none';
  const what = status === undefined ? error.name : `status ${status}`;
  const cause = new Error(`The Messages API failed: ${what}, request ${requestId}.`);
  return { isTransient, cause, status };
}

/** Recognises errors of the SDK by their fields, because their class is loaded only on demand. */
function isApiError(error: unknown): error is APIError {
  return error instanceof Error && 'requestID' in error;
}

function messageOf({ system, turns, tools }: ModelRequest) {
  return {
    system: system.map((text) => ({
      type: 'text',
      text,
      cache_control: { type: 'ephemeral' },
    })) as Anthropic.TextBlockParam[],
    messages: turns.map(turnOf),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            name,
            description,
            input_schema: parameters as Anthropic.Tool.InputSchema,
          })),
        }),
  };
}

function turnOf(turn: ModelTurn): Anthropic.MessageParam {
  switch (turn.role) {
    case 'user':
      return { role: 'user', content: turn.text };
    case 'model': {
      const { native, text } = turn;
      return {
        role: 'assistant',
        content: native === undefined ? text : (native as Anthropic.ContentBlockParam[]),
      };
    }
    case 'tools':
      return {
        role: 'user',
        content: turn.results.map(({ callId, result, isError }) => ({
          type: 'tool_result',
          tool_use_id: callId,
          // Placed within the result: text after results reads as if the user had said it.
          content: [turn.preface, JSON.stringify(result)].map((text) => ({ type: 'text', text })),
          ...(isError ? { is_error: true } : {}),
        })) as Anthropic.ToolResultBlockParam[],
      };
  }
}
