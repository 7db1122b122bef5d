import type { AssistantCaller, AssistantPrompts } from './ports/assistant.ts';
import { Unavailable } from '../ports/faults.ts';
import type { ModelTurn } from './ports/languageModel.ts';
import { ProviderFailure } from './ports/providers.ts';
import type { AudioClip, SpeechToText } from './ports/speechToText.ts';
import type { Budget } from './budget.ts';
import {
  type AnswerObserver,
  converse,
  type Conversed,
  type ConversingDependencies,
} from './converse.ts';
import { atItsLimitToday, cannotAnswerNow } from './fixedTexts.ts';
import { systemPrompt } from './systemPrompt.ts';
import type { AssistantStep } from './tools/runTools.ts';
import { transcribe } from './transcribe.ts';

/** Reason for an answer without the model. */
export type DegradedReason = 'failed' | 'timeUp' | 'gone' | 'empty' | 'budget' | 'speech';

export interface ChatDependencies extends Omit<ConversingDependencies, 'onUsage'> {
  readonly prompts: AssistantPrompts;
  readonly speechToText: SpeechToText;
  readonly budget: Budget;
  /** Records the cost of a call in the metrics. @returns millionths of the currency */
  readonly onUsage: (...usage: Parameters<ConversingDependencies['onUsage']>) => number;
  /** True for the instance of anonymous visitors. */
  readonly isPublic: boolean;
  /** Timeout of the whole request, milliseconds. */
  readonly timeoutMs: number;
  readonly onDegraded: (reason: DegradedReason, caller: AssistantCaller, cause?: unknown) => void;
}

/** An earlier turn, as sent by the client. */
export interface HistoryTurn {
  readonly role: 'user' | 'model';
  readonly text: string;
}

/** A question: a message, a recording, or both. */
export interface ChatQuestion {
  readonly message: string | null;
  readonly audio: AudioClip | null;
  /** The oldest first. */
  readonly history: readonly HistoryTurn[];
  readonly caller: AssistantCaller;
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignal;
}

export interface ChatAnswer {
  /** Empty only when the recording contained no speech. */
  readonly reply: string;
  readonly steps: readonly AssistantStep[];
  readonly degraded: boolean;
  /** Transcript of the recording; null without one. */
  readonly transcript: string | null;
}

/** Callbacks while the answer is generated. */
export interface ChatObserver extends AnswerObserver {
  transcript(text: string): void;
}

/**
 * Answers a question.
 *
 * @throws NotConfigured(languageModel)
 * @throws ProviderFailure for a permanent failure of the model, such as a wrong key; never for a transient one
 */
export type Chat = (question: ChatQuestion, observer?: ChatObserver) => Promise<ChatAnswer>;

const nobody: ChatObserver = {
  transcript: () => undefined,
  delta: () => undefined,
  reset: () => undefined,
};

/** One instance of the chat, for signed-in users or for the public. */
export function createChat(dependencies: ChatDependencies): Chat {
  const { budget, isPublic, onDegraded, timeoutMs, speechToText, onRetry } = dependencies;

  /** Answers the prompt, or returns the reason why not. @throws as {@link converse} does */
  async function answer(
    { history, caller }: ChatQuestion,
    prompt: string,
    { signal, observer }: { readonly signal: AbortSignal; readonly observer: AnswerObserver },
  ): Promise<Conversed & { readonly without: DegradedReason | null }> {
    if (await budget.isSpent(isPublic)) return { text: '', steps: [], without: 'budget' };
    const { scope, instructions } = await dependencies.prompts.current();
    const costs: Promise<void>[] = [];
    try {
      const conversed = await converse(
        {
          ...dependencies,
          onUsage: (usage) => costs.push(budget.spend(isPublic, dependencies.onUsage(usage))),
        },
        {
          system: systemPrompt({ scope, instructions, lang: caller.lang, isAnonymous: isPublic }),
          turns: [...turnsOf(history), { role: 'user', text: prompt }],
          caller,
          signal,
        },
        observer,
      );
      return { ...conversed, without: conversed.text === '' ? 'empty' : null };
    } finally {
      await Promise.all(costs);
    }
  }

  return async (question, observer = nobody) => {
    const { caller, audio, message, gone } = question;
    const signal = AbortSignal.any([gone, AbortSignal.timeout(timeoutMs)]);
    const shown = watched(observer);
    let transcript: string | null = null;

    function fallback(reason: DegradedReason, cause?: unknown): ChatAnswer {
      onDegraded(reason, caller, cause);
      if (shown.isShowing()) observer.reset();
      const reply = (reason === 'budget' ? atItsLimitToday : cannotAnswerNow)[caller.lang];
      observer.delta(reply);
      return { reply, steps: [], degraded: true, transcript };
    }

    try {
      if (audio !== null) {
        transcript = await transcribe(speechToText, audio, { signal, onRetry });
        observer.transcript(transcript);
      }
      const prompt = promptOf(message, transcript);
      if (prompt === '') return { reply: '', steps: [], degraded: true, transcript };
      const { text, steps, without } = await answer(question, prompt, { signal, observer: shown });
      if (without !== null) return { ...fallback(without), steps };
      return { reply: text, steps, degraded: false, transcript };
    } catch (error) {
      const reason = reasonOf(error, gone, signal);
      if (reason === null) throw error;
      return fallback(reason, error);
    }
  };
}

/** Joins message and transcript. */
function promptOf(message: string | null, transcript: string | null): string {
  return [message ?? '', transcript ?? ''].filter((text) => text.trim() !== '').join('\n\n');
}

/** Null for permanent failures. */
function reasonOf(error: unknown, gone: AbortSignal, signal: AbortSignal): DegradedReason | null {
  const isSpeech = error instanceof Unavailable && error.dependency === 'speechToText';
  if (!isSpeech && !(error instanceof ProviderFailure && error.isTransient)) return null;
  if (gone.aborted) return 'gone';
  if (isSpeech) return 'speech';
  return signal.aborted ? 'timeUp' : 'failed';
}

/** Turns in the model's format: beginning with the user, none empty. */
function turnsOf(history: readonly HistoryTurn[]): readonly ModelTurn[] {
  const said = history.filter(({ text }) => text.trim() !== '');
  const first = said.findIndex(({ role }) => role === 'user');
  return first < 0 ? [] : said.slice(first);
}

/** Tracks if text was shown that would have to be retracted. */
function watched(observer: AnswerObserver) {
  let isShowing = false;
  return {
    isShowing: () => isShowing,
    delta: (piece: string) => {
      isShowing = true;
      observer.delta(piece);
    },
    reset: () => {
      isShowing = false;
      observer.reset();
    },
  };
}
