import type Anthropic from '@anthropic-ai/sdk';
import type { ModelReply, ModelUsage, ToolCall } from '../../application/ports/languageModel.ts';
import { ProviderFailure } from '../../application/ports/providers.ts';

/** Puts an answer together from the events of its stream. */
export interface MessageReader {
  take(event: Anthropic.RawMessageStreamEvent): void;
  /** As far as it is known; null before the first event. */
  usage(): ModelUsage | null;
  /** @throws ProviderFailure when the stream ended before the answer did */
  reply(): ModelReply;
}

/** A block of the answer while it is written. */
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
    // Servers of the same API may say all of a block at its beginning.
    const text = start.type === 'text' ? start.text : '';
    blocks[index] = { start, text, signature: '' };
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
          cause: new Error('The answer was cut off.'),
        });
      }
      // The service refuses to be given back a text of blanks, as it stands before calls at times.
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

function usageOf(model: string, usage: Anthropic.Usage): ModelUsage {
  return {
    ...{ model, input: usage.input_tokens, output: usage.output_tokens },
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWrite: usage.cache_creation_input_tokens ?? 0,
  };
}

/** Totals, as far as they are told at the end; some servers tell all of them only then. */
function countedAtLast(begun: ModelUsage, end: Partial<Anthropic.MessageDeltaUsage>): ModelUsage {
  return {
    model: begun.model,
    input: end.input_tokens ?? begun.input,
    output: end.output_tokens ?? begun.output,
    cacheRead: end.cache_read_input_tokens ?? begun.cacheRead,
    cacheWrite: end.cache_creation_input_tokens ?? begun.cacheWrite,
  };
}

/** Fewer letters than any language has to a token, so that nobody talks for nothing by leaving early. */
const LETTERS_OF_A_TOKEN = 2;

function estimated(usage: ModelUsage, blocks: readonly OpenBlock[]): ModelUsage {
  const letters = blocks.reduce((sum, { text }) => sum + text.length, 0);
  return { ...usage, output: Math.max(usage.output, Math.ceil(letters / LETTERS_OF_A_TOKEN)) };
}

function callOf({ start, text }: OpenBlock): readonly ToolCall[] {
  if (start.type !== 'tool_use') return [];
  return [{ id: start.id, name: start.name, args: argumentsOf(start, text) }];
}

/** As the service wants it back; thinking must return unchanged, arguments must be an object. */
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

/** Null for anything but a JSON object; a tool without arguments may be asked for with nothing at all. */
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
