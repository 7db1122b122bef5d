import { useCallback, useRef, useState } from 'react';
import { problemIn } from '../../shared/api/problem.ts';
import type { Language } from '../../shared/texts.ts';
import { readEvents } from './readEvents.ts';
import type { Recording } from './useRecorder.ts';

/** Turn of a conversation. */
export interface Turn {
  readonly role: 'user' | 'model';
  /** Empty for a recording until its transcription, and when it contains no speech. */
  readonly text: string;
  /**
   * State of an answer: being written, complete, stopped by the reader, fallback, or without a
   * question.
   */
  readonly state: 'writing' | 'whole' | 'stopped' | 'degraded' | 'unheard';
}

/** Typed or recorded question. */
export type Question = { readonly message: string } | { readonly audio: Recording };

export interface Conversation {
  readonly turns: readonly Turn[];
  readonly isAnswering: boolean;
  /** Error of the last question. */
  readonly problem: unknown;
  ask(question: Question): Promise<void>;
  stop(): void;
  clear(): void;
}

/** Limit of the history (specification, Limits). */
const REMEMBERED = 20;
const ADDRESS = '/api/v1/ai/chat/stream';

/** Conversation with the assistant, kept on this page only. */
export function useChat(lang: Language): Conversation {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [problem, setProblem] = useState<unknown>(null);
  const [isAnswering, setAnswering] = useState(false);
  const asking = useRef<AbortController | null>(null);

  const changeLast = useCallback((role: Turn['role'], change: (last: Turn) => Turn) => {
    setTurns((all) => {
      const last = all.findLastIndex((turn) => turn.role === role);
      return all.map((turn, index) => (index === last ? change(turn) : turn));
    });
  }, []);

  const ask = async (question: Question) => {
    const history = turns
      .filter(({ text }) => text !== '')
      .slice(-REMEMBERED)
      .map(({ role, text }) => ({ role, text: text.slice(0, 4000) }));
    const stopping = new AbortController();
    asking.current = stopping;
    setProblem(null);
    setAnswering(true);
    setTurns((all) => [
      ...all,
      { role: 'user', text: 'message' in question ? question.message : '', state: 'whole' },
      { role: 'model', text: '', state: 'writing' },
    ]);
    try {
      await answer({ ...question, history, lang }, stopping.signal, changeLast);
    } catch (error) {
      if (stopping.signal.aborted) changeLast('model', (last) => ({ ...last, state: 'stopped' }));
      else {
        setTurns((all) => all.slice(0, -1));
        setProblem(error);
      }
    } finally {
      setAnswering(false);
    }
  };

  return {
    turns,
    isAnswering,
    problem,
    ask,
    stop: () => asking.current?.abort(),
    clear: () => {
      asking.current?.abort();
      setTurns([]);
      setProblem(null);
    },
  };
}

/** @throws ApiProblem when the question is refused, Error when the answer is cut off */
async function answer(
  question: object,
  signal: AbortSignal,
  changeLast: (role: Turn['role'], change: (last: Turn) => Turn) => void,
): Promise<void> {
  const response = await fetch(ADDRESS, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { accept: 'text/event-stream, application/json', 'content-type': 'application/json' },
    body: JSON.stringify(question),
    signal,
  });
  if (!response.ok || response.body === null) {
    throw problemIn(response, await response.json().catch(() => null));
  }
  for await (const { event, data } of readEvents(response.body)) {
    switch (event) {
      case 'delta':
        changeLast('model', (last) => ({ ...last, text: last.text + data.text }));
        break;
      case 'reset':
        changeLast('model', (last) => ({ ...last, text: '' }));
        break;
      case 'done':
        changeLast('model', (last) => ({ ...last, state: endOf(last, data.degraded) }));
        return;
      case 'error':
        throw new Error(data.message);
      case 'transcript':
        changeLast('user', (last) => ({ ...last, text: data.text }));
        break;
    }
  }
  throw new Error('The event stream ended before the answer was complete.');
}

/** State of a finished turn; an empty one contained no speech (contract §12). */
function endOf({ text }: Turn, isDegraded: boolean): Turn['state'] {
  if (text === '') return 'unheard';
  return isDegraded ? 'degraded' : 'whole';
}
