import type Anthropic from '@anthropic-ai/sdk';
import type {
  ModelReply,
  ModelUsage,
  ToolCall,
} from '../../application/assistant/ports/languageModel.ts';
import { ProviderFailure } from '../../application/assistant/ports/providers.ts';

/** Assembles a reply from the events of its stream. */
export interface MessageReader {
  take(event: Anthropic.RawMessageStreamEvent): void;
  /** Usage counted so far; null before the first event. */
  usage(): ModelUsage | null;
  /** @throws ProviderFailure when the stream ended before the reply was complete */
  reply(): ModelReply;
}

/** A content block of the reply that is still being streamed. */
interface OpenBlock {
  readonly start: Anthropic.RawContentBlockStartEvent['content_block'];
  text: string;
  signature: string;
}

export function createMessageReader(
  model: string,
  onText: (piece: string) => void = () => undefined,
): MessageReader {
  const blocks: OpenBlock[] = [];
  let usage: ModelUsage | null = null;
  let isCounted = false;
  let stopReason: string | null = null;
  let isComplete = false;

  function open(index: number, start: OpenBlock['start']): void {
    if (index !== blocks.length || index >= MOST_BLOCKS) {
      throw malformed(`Block ${blocks.length} of at most ${MOST_BLOCKS} was expected.`);
    }
    // Compatible servers may send a whole block in its start event.
    const text = start.type === 'text' ? start.text : '';
    blocks.push({ start, text, signature: '' });
    if (text !== '') onText(text);
  }

  function append(index: number, delta: Anthropic.RawContentBlockDelta): void {
    const block = blocks[index];
    if (block === undefined) return;
    if (delta.type === 'text_delta') {
      block.text += delta.text;
      if (delta.text !== '') onText(delta.text);
    } else if (delta.type === 'input_json_delta') block.text += delta.partial_json;
    else if (delta.type === 'thinking_delta') block.text += delta.thinking;
    else if (delta.type === 'signature_delta') block.signature = delta.signature;
  }

  return {
    take(event) {
      if (event.type === 'message_start') usage = usageOf(model, event.message.usage);
      else if (event.type === 'content_block_start') {
        open(event.index, event.content_block);
      } else if (event.type === 'content_block_delta') append(event.index, event.delta);
      else if (event.type === 'message_delta') {
        stopReason = event.delta.stop_reason;
        if (usage !== null) usage = countedAtLast(usage, event.usage);
        isCounted = true;
      } else if (event.type === 'message_stop') isComplete = true;
    },
    usage: () => (usage === null || isCounted ? usage : estimated(usage, blocks)),
    reply() {
      if (!isComplete) {
        throw new ProviderFailure('languageModel', {
          isTransient: true,
          cause: new Error('The answer is incomplete.'),
        });
      }
      // The service rejects blank text blocks in later requests, although it sends them before tool calls.
      const isBlank = ({ start, text }: OpenBlock) => start.type === 'text' && text.trim() === '';
      const written = blocks.filter((block) => !isBlank(block));
      return {
        text: written.map(({ start, text }) => (start.type === 'text' ? text : '')).join(''),
        calls: written.flatMap(callOf),
        isRefused: stopReason === 'refusal',
        native: written.map(nativeOf),
      };
    },
  };
}

/** Content blocks of a reply: thinking, text and calls. */
const MOST_BLOCKS = 16;
/** Tokens of a call, in or out: beyond any model's window. */
const MOST_TOKENS = 10_000_000;

function malformed(what: string): ProviderFailure {
  return new ProviderFailure('languageModel', { isTransient: false, cause: new Error(what) });
}

/** Tokens the provider states, which are charged. @throws ProviderFailure unless a count */
function tokens(stated: number | null | undefined): number {
  const count = stated ?? 0;
  if (Number.isInteger(count) && count >= 0 && count <= MOST_TOKENS) return count;
  throw malformed('The stated number of tokens is not a count.');
}

function usageOf(model: string, usage: Anthropic.Usage): ModelUsage {
  return {
    model,
    input: tokens(usage.input_tokens),
    output: tokens(usage.output_tokens),
    cacheRead: tokens(usage.cache_read_input_tokens),
    cacheWrite: tokens(usage.cache_creation_input_tokens),
  };
}

/** Final token counts; some servers report them only at the end. */
function countedAtLast(begun: ModelUsage, end: Partial<Anthropic.MessageDeltaUsage>): ModelUsage {
  return {
    model: begun.model,
    input: tokens(end.input_tokens ?? begun.input),
    output: tokens(end.output_tokens ?? begun.output),
    cacheRead: tokens(end.cache_read_input_tokens ?? begun.cacheRead),
    cacheWrite: tokens(end.cache_creation_input_tokens ?? begun.cacheWrite),
  };
}

/** Fewer letters than a token has in any language, so that a client that disconnects early is still charged. */
const LETTERS_OF_A_TOKEN = 2;

function estimated(usage: ModelUsage, blocks: readonly OpenBlock[]): ModelUsage {
  const letters = blocks.reduce((sum, { text }) => sum + text.length, 0);
  return { ...usage, output: Math.max(usage.output, Math.ceil(letters / LETTERS_OF_A_TOKEN)) };
}

function callOf({ start, text }: OpenBlock): readonly ToolCall[] {
  if (start.type !== 'tool_use') return [];
  return [{ id: start.id, name: start.name, args: argumentsOf(start, text) }];
}

/** The block in the provider's format: thinking must be returned unchanged, arguments must be an object. */
function nativeOf(block: OpenBlock): object {
  const { start, text, signature } = block;
  if (start.type === 'text') return { type: 'text', text };
  if (start.type === 'thinking') return { type: 'thinking', thinking: text, signature };
  if (start.type === 'tool_use') {
    const { id, name } = start;
    return { type: 'tool_use', id, name, input: argumentsOf(start, text) ?? {} };
  }
  return start;
}

/** Null unless a JSON object; a tool without arguments may be called with an empty text. */
function argumentsOf({ input }: Anthropic.ToolUseBlock, text: string): ToolCall['args'] {
  if (text === '') return objectOf(input ?? {});
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return null;
  }
}

function objectOf(value: unknown): ToolCall['args'] {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as ToolCall['args']) : null;
}
