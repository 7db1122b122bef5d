import Anthropic, { APIError } from '@anthropic-ai/sdk';
import type {
  LanguageModel,
  ModelCall,
  ModelRequest,
  ModelTurn,
} from '../../application/ports/languageModel.ts';
import { ProviderFailure } from '../../application/ports/providers.ts';
import { upTo } from '../boundedBody.ts';
import { createMessageReader } from './messageReader.ts';

export interface AnthropicOptions {
  readonly apiKey: string;
  /** Omitted: the provider's own. */
  readonly baseUrl?: string | undefined;
  readonly maxTokens: number;
  /** Hears of every call. @param status the HTTP status, or `error` when there was no whole answer */
  readonly onCalled?: (operation: string, status: string, seconds: number) => void;
}

const OWN_ADDRESS = 'https://api.anthropic.com';

/** Language models behind the Messages API, by name. */
export function createAnthropicModels(options: AnthropicOptions): (model: string) => LanguageModel {
  const { apiKey, baseUrl = OWN_ADDRESS, maxTokens, onCalled = () => undefined } = options;
  const client = new Anthropic({
    ...{ apiKey, authToken: null, baseURL: baseUrl },
    // When and how often a call is repeated is the loop's law, and the time of a request its caller's.
    ...{ maxRetries: 0, timeout: 600_000 },
    // What citizens ask goes where the settings say, not where somebody there sends it on to.
    fetchOptions: { redirect: 'error' },
    fetch: fetchUpToLimit,
    // Prompts stand in no log and no trace, whatever the environment says.
    ...{ logLevel: 'off', openTelemetry: false },
  });

  return (model) => ({
    async reply(request, call) {
      const started = performance.now();
      let status = 'error';
      try {
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

/** Bytes of an answer, several times what the most tokens take as events. */
const LONGEST_ANSWER = 16 * 1024 * 1024;

/** The client collects a body, or a line of it, until it ends; an answer without an end would take all the memory. */
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

/** What the service said stays out of the cause: it may quote the prompt, and causes are logged. */
function failureOf(error: unknown) {
  // The parser's errors quote what it read.
  if (error instanceof SyntaxError) {
    const cause = new Error('The Messages API answered something else than its events.');
    return { isTransient: true, cause, status: undefined };
  }
  if (!(error instanceof APIError)) return { isTransient: true, cause: error, status: undefined };
  const status = error.status as number | undefined;
  // An error in the midst of a stream has no status of its own: overloaded, as a rule.
  const isTransient = status === undefined || status === 429 || status >= 500;
  const requestId = error.requestID ?? 'none';
  const what = status === undefined ? error.name : `status ${status}`;
  const cause = new Error(`The Messages API failed: ${what}, request ${requestId}.`);
  return { isTransient, cause, status };
}

function messageOf({ system, turns, tools }: ModelRequest) {
  return {
    system: system.map((text) => ({
      ...{ type: 'text', text, cache_control: { type: 'ephemeral' } },
    })) as Anthropic.TextBlockParam[],
    messages: turns.map(turnOf),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            ...{ name, description, input_schema: parameters as Anthropic.Tool.InputSchema },
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
          ...{ type: 'tool_result', tool_use_id: callId },
          // Within the result: text after results reads as if the user had spoken.
          content: [turn.preface, JSON.stringify(result)].map((text) => ({ type: 'text', text })),
          ...(isError ? { is_error: true } : {}),
        })) as Anthropic.ToolResultBlockParam[],
      };
  }
}
