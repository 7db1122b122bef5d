import type { AssistantCaller, AssistantTool, JsonObject } from '../../ports/assistant.ts';
import type { ToolCall, ToolResult } from '../../ports/languageModel.ts';

/** A tool that was run, as the caller is shown it. */
export interface AssistantStep {
  readonly tool: string;
  readonly args?: JsonObject;
  /** Omitted when it failed: how is between the backend and the model. */
  readonly result?: JsonObject;
}

export interface ToolRunning {
  readonly tools: readonly AssistantTool[];
  /** Milliseconds one tool may take. */
  readonly timeoutMs: number;
  readonly onToolRun: (tool: string, outcome: 'ok' | 'failed', cause?: unknown) => void;
}

/** One turn may ask for several tools, within reason. */
const MOST_CALLS = 8;

const unknownTool = { error: 'unknown tool' };
const failed = { error: 'tool execution failed' };
const tooMany = { error: 'too many tool calls' };

/** Runs what the model asked for, side by side. Never throws: what goes wrong is a result for the model. */
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
      if (args === null) throw new Error('The arguments are no JSON object.');
      const result = await inTime(tool, args, AbortSignal.timeout(timeoutMs));
      onToolRun(name, 'ok');
      return answer(result, { tool: name, args, result });
    } catch (cause) {
      onToolRun(name, 'failed', cause);
      return answer(failed, { tool: name, ...(args === null ? {} : { args }) });
    }
  }

  /** A tool that ignores its signal is not waited for. */
  async function inTime(tool: AssistantTool, args: JsonObject, timeUp: AbortSignal) {
    const over = AbortSignal.any([signal, timeUp]);
    over.throwIfAborted();
    let stopWaiting: () => void = () => undefined;
    const interrupted = new Promise<never>((_resolve, reject) => {
      stopWaiting = () => reject(new Error('The time of the tool is over.'));
      over.addEventListener('abort', stopWaiting, { once: true });
    });
    try {
      const result = await Promise.race([tool.run(args, caller, over), interrupted]);
      // What cannot be written as JSON is no result; found out here, it is this tool's failure.
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
