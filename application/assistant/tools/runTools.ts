import type { AssistantCaller, AssistantTool, JsonObject } from '../ports/assistant.ts';
import type { ToolCall, ToolResult } from '../ports/languageModel.ts';

/** A tool call, as shown to the client. */
export interface AssistantStep {
  readonly tool: string;
  readonly args?: JsonObject;
  /** Omitted on failure: the reason is for the model only. */
  readonly result?: JsonObject;
}

export interface ToolRunning {
  readonly tools: readonly AssistantTool[];
  /** Timeout of one tool, milliseconds. */
  readonly timeoutMs: number;
  readonly onToolRun: (tool: string, outcome: 'ok' | 'failed', cause?: unknown) => void;
}

/** Tool calls per turn at most. */
const MOST_CALLS = 8;

const unknownTool = { error: 'unknown tool' };
const failed = { error: 'tool execution failed' };
const tooMany = { error: 'too many tool calls' };

/** Runs the requested tools in parallel. Never throws: failures are results for the model. */
export async function runTools(
  { tools, timeoutMs, onToolRun }: ToolRunning,
  calls: readonly ToolCall[],
  { caller, signal }: { readonly caller: AssistantCaller; readonly signal: AbortSignal },
): Promise<{ readonly results: readonly ToolResult[]; readonly steps: readonly AssistantStep[] }> {
  async function run({ id, name, args }: ToolCall, index: number) {
    const answer = (result: JsonObject, step: AssistantStep | null = null) => ({
      result: { callId: id, result, isError: step?.result === undefined },
      step,
    });
    if (index >= MOST_CALLS) return answer(tooMany);
    const tool = tools.find((each) => each.name === name && each.isFor?.(caller) !== false);
    if (tool === undefined) return answer(unknownTool);
    try {
      if (args === null) throw new Error('The arguments are not a JSON object.');
      const result = await inTime(tool, args, AbortSignal.timeout(timeoutMs));
      onToolRun(name, 'ok');
      return answer(result, { tool: name, args, result });
    } catch (cause) {
      onToolRun(name, 'failed', cause);
      return answer(failed, { tool: name, ...(args === null ? {} : { args }) });
    }
  }

  /** Returns at the timeout even if the tool ignores its signal. */
  async function inTime(tool: AssistantTool, args: JsonObject, timeUp: AbortSignal) {
    const over = AbortSignal.any([signal, timeUp]);
    over.throwIfAborted();
    let stopWaiting: () => void = () => undefined;
    const interrupted = new Promise<never>((_resolve, reject) => {
      stopWaiting = () => reject(new Error('The tool timed out.'));
      over.addEventListener('abort', stopWaiting, { once: true });
    });
    try {
      const result = await Promise.race([tool.run(args, caller, over), interrupted]);
      // Serialized here so that a value JSON cannot express is this tool's failure.
      return JSON.parse(JSON.stringify(result)) as JsonObject;
    } finally {
      over.removeEventListener('abort', stopWaiting);
    }
  }

  const ran = await Promise.all(calls.map(run));
  return {
    results: ran.map(({ result }) => result),
    steps: ran.flatMap(({ step }) => (step === null ? [] : [step])),
  };
}
