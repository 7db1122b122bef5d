import type { ChatAnswer, ChatObserver } from '../../application/assistant/chat.ts';
import type { RequestContext } from '../http/route.ts';

/** Runs `work` with a signal that aborts when the caller disconnects or the server shuts down. */
export async function whileWaitedFor<Result>(
  context: Pick<RequestContext, 'onGone'>,
  work: (gone: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const gone = new AbortController();
  const forget = context.onGone(() => gone.abort());
  try {
    return await work(gone.signal);
  } finally {
    forget();
  }
}

export interface AnswerStreaming {
  /** Produces the answer, reporting progress to the observer. */
  readonly run: (observer: ChatObserver, gone: AbortSignal) => Promise<ChatAnswer>;
  /** Called with the cause of an `error` event. */
  readonly onFailed: (cause: unknown) => void;
}

/**
 * Streams an answer as server-sent events while it is written (contract §12): `transcript`,
 * `delta`…, `reset` when the shown text must be removed, then `done` or `error`. When the reader
 * stops, the work is aborted.
 */
export async function* answerEvents(
  context: Pick<RequestContext, 'onGone'>,
  { run, onFailed }: AnswerStreaming,
): AsyncGenerator<Uint8Array> {
  const gone = new AbortController();
  const forget = context.onGone(() => gone.abort());
  const waiting: Uint8Array[] = [];
  let isOver = false;
  let resume: () => void = () => undefined;
  const send = (event: string, data: object) => {
    waiting.push(Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`, 'utf8'));
    resume();
  };
  const work = run(
    {
      transcript: (text) => send('transcript', { text }),
      delta: (text) => send('delta', { text }),
      reset: () => send('reset', {}),
    },
    gone.signal,
  )
    .then(
      ({ degraded, transcript }) => send('done', { degraded, transcript: transcript ?? '' }),
      (error: unknown) => {
        onFailed(error);
        send('error', { message: 'ai stream failed' });
      },
    )
    .finally(() => {
      isOver = true;
      resume();
    });
  try {
    for (;;) {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield next;
      // Both change in other turns of the loop, which the checker cannot know.
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition
      if (isOver) return;
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
    }
  } finally {
    forget();
    gone.abort();
    await work;
  }
}
