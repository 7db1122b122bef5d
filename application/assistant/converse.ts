import type { AssistantCaller, AssistantTool } from './ports/assistant.ts';
import type {
  LanguageModel,
  ModelReply,
  ModelRequest,
  ModelTurn,
  ModelUsage,
} from './ports/languageModel.ts';
import type { ProviderFailure } from './ports/providers.ts';
import { askWithRetries } from './retries.ts';
import { mayBeIn } from './answerLanguage.ts';
import { languageReminder, resultPreface } from './systemPrompt.ts';
import { type AssistantStep, runTools } from './tools/runTools.ts';

export interface ConversingDependencies {
  readonly model: LanguageModel;
  readonly tools: readonly AssistantTool[];
  /** Turns of the model at most; `MaxSteps`. */
  readonly maxSteps: number;
  /** Timeout of one tool, milliseconds. */
  readonly toolTimeoutMs: number;
  readonly onToolRun: (tool: string, outcome: 'ok' | 'failed', cause?: unknown) => void;
  readonly onRetry: (failure: ProviderFailure) => void;
  /** Called with the tokens of every call, also of failed ones. */
  readonly onUsage: (usage: ModelUsage) => void;
}

export interface Conversation {
  readonly system: readonly string[];
  /** The history and the prompt. */
  readonly turns: readonly ModelTurn[];
  readonly caller: AssistantCaller;
  /** Aborts on the request's timeout or when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Callbacks while the answer is generated. */
export interface AnswerObserver {
  delta(piece: string): void;
  /** Retracts the text shown so far. */
  reset(): void;
}

export interface Conversed {
  /**
   * Empty when the model returned no text, was stopped by its provider, or was still calling tools after its last turn.
   */
  readonly text: string;
  readonly steps: readonly AssistantStep[];
}

/**
 * The agent loop (specification, assistant rule 2): calls the model, runs the tools it requests, returns their results,
 * until it answers with text or has used all its turns. An answer in the wrong language is requested once more, and the
 * second accepted as it is (rule 6).
 *
 * @throws ProviderFailure after three attempts, or at once for permanent failures
 */
export async function converse(
  dependencies: ConversingDependencies,
  conversation: Conversation,
  observer: AnswerObserver,
): Promise<Conversed> {
  const { tools, maxSteps, toolTimeoutMs: timeoutMs, onToolRun } = dependencies;
  const { system, caller, signal } = conversation;
  const offered = tools.filter((tool) => tool.isFor?.(caller) !== false);
  const declarations = offered.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }));
  const turns = [...conversation.turns];
  const steps: AssistantStep[] = [];
  let isReminded = false;
  for (let step = 0; step < maxSteps; step += 1) {
    const request = { system, turns, tools: declarations };
    const reply = await ask(dependencies, request, { signal, observer });
    if (reply.isRefused) return { text: '', steps };
    const isAnswer = reply.calls.length === 0;
    const isLast = isReminded || step === maxSteps - 1;
    if (isAnswer && (isLast || mayBeIn(caller.lang, reply.text))) {
      return { text: reply.text.trim(), steps };
    }
    // Text before a tool call, or in the wrong language, is not the answer.
    if (reply.text !== '') observer.reset();
    turns.push({ role: 'model', text: reply.text, calls: reply.calls, native: reply.native });
    if (isAnswer) {
      isReminded = true;
      turns.push({ role: 'user', text: languageReminder(caller.lang) });
      continue;
    }
    const ran = await runTools({ tools: offered, timeoutMs, onToolRun }, reply.calls, {
      caller,
      signal,
    });
    steps.push(...ran.steps);
    turns.push({ role: 'tools', preface: resultPreface, results: ran.results });
  }
  return { text: '', steps };
}

/** One turn of the model; retracts the text of a failed attempt. */
async function ask(
  { model, onRetry, onUsage }: ConversingDependencies,
  request: ModelRequest,
  { signal, observer }: { readonly signal: AbortSignal; readonly observer: AnswerObserver },
): Promise<ModelReply> {
  let isShown = false;
  const onText = (piece: string) => {
    isShown = true;
    observer.delta(piece);
  };
  const attempt = async () => {
    try {
      return await model.reply(request, { signal, onText, onUsage });
    } catch (error) {
      if (isShown) observer.reset();
      isShown = false;
      throw error;
    }
  };
  return askWithRetries(attempt, { signal, onRetry });
}
