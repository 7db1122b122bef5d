import type { IncomingHttpHeaders } from 'node:http';
import type { MessageBlock, MessagesRequest } from './modelBehaviours.ts';

type Message = MessagesRequest['messages'][number];

/** Breakpoints of the cache a request may have. */
const MOST_BREAKPOINTS = 4;

/** Reason for which the Messages API would refuse a request, by its documentation; null: none. */
export function faultOf(request: MessagesRequest, headers: IncomingHttpHeaders): string | null {
  const faults = [
    /^\d{4}-\d\d-\d\d$/.test(String(headers['anthropic-version']))
      ? null
      : 'anthropic-version: header is required',
    request.max_tokens >= 1 ? null : 'max_tokens: must be at least 1',
    ...(request.system ?? []).map(({ text }) => faultOfText('system', text)),
    faultOfTools(request),
    faultOfTurns(request.messages),
    breakpointsIn(request) <= MOST_BREAKPOINTS
      ? null
      : `A maximum of ${MOST_BREAKPOINTS} blocks with cache_control may be provided.`,
  ];
  return faults.find((fault) => fault !== null) ?? null;
}

function faultOfText(where: string, text: string | undefined): string | null {
  if (text === undefined || text === '') return `${where}: text content blocks must be non-empty`;
  return text.trim() === ''
    ? `${where}: text content blocks must contain non-whitespace text`
    : null;
}

function faultOfTools({ tools = [] }: MessagesRequest): string | null {
  const names = tools.map(({ name }) => name);
  if (new Set(names).size < names.length) return 'tools: Tool names must be unique.';
  if (!names.every((name) => /^[a-zA-Z0-9_-]{1,128}$/.test(name))) return 'tools: odd name';
  const isObject = ({ input_schema }: (typeof tools)[number]) =>
    (input_schema as { readonly type?: unknown }).type === 'object';
  return tools.every(isObject) ? null : 'tools: input_schema.type: must be object';
}

function faultOfTurns(turns: readonly Message[]): string | null {
  if (turns[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  for (const [index, turn] of turns.entries()) {
    const fault = faultOfContent(turn) ?? faultOfResults(turns[index - 1], turn);
    if (fault !== null) return fault;
  }
  const isUnanswered = blocksOf(turns.at(-1)).some(({ type }) => type === 'tool_use');
  return isUnanswered ? 'messages: tool_use ids were found without tool_result blocks' : null;
}

function faultOfContent({ content }: Message): string | null {
  if (content.length === 0) return 'messages: all messages must have non-empty content';
  if (typeof content === 'string') return faultOfText('messages', content);
  for (const block of content) {
    const fault = faultOfBlock(block);
    if (fault !== null) return fault;
  }
  return null;
}

function faultOfBlock({ type, text, thinking, signature, content = [] }: MessageBlock) {
  if (type === 'text') return faultOfText('messages', text);
  if (type === 'thinking' && ((thinking ?? '') === '' || (signature ?? '') === '')) {
    return 'messages: each thinking block must contain thinking';
  }
  const told = content.map((part) => faultOfText('messages', part.text));
  return told.find((fault) => fault !== null) ?? null;
}

/** Each result answers a call of the turn before, and each call has one, first in the turn. */
function faultOfResults(before: Message | undefined, turn: Message): string | null {
  const called = blocksOf(before).flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []));
  const blocks = blocksOf(turn);
  const answered = blocks.flatMap(({ type, tool_use_id }) =>
    type === 'tool_result' ? [tool_use_id] : [],
  );
  if (called.some((id) => !answered.includes(id))) {
    return 'messages: tool_use ids were found without tool_result blocks immediately after';
  }
  if (answered.some((id) => !called.includes(id))) return 'messages: unexpected tool_use_id';
  const isFirst = blocks.slice(0, answered.length).every(({ type }) => type === 'tool_result');
  return isFirst ? null : 'messages: tool_result blocks must come first';
}

function blocksOf(turn: Message | undefined): readonly MessageBlock[] {
  return turn === undefined || typeof turn.content === 'string' ? [] : turn.content;
}

function breakpointsIn(request: MessagesRequest): number {
  return JSON.stringify(request).split('"cache_control"').length - 1;
}
