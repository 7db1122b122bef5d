import { serveChild } from './childServer.ts';
import { requestBytes } from './httpConnection.ts';
import { holdPolls, type IdlePolls } from './idlePolls.ts';

// A process that holds polls of unanswered sessions.

interface Hold {
  readonly port: number;
  readonly count: number;
  readonly sessions: readonly string[];
  readonly apiSecret: string;
  readonly timeoutMs: number;
}

await serveChild(() => {
  let held: IdlePolls | undefined;
  return Promise.resolve({
    port: 0,
    answers: {
      hold: async (argument: unknown) => {
        const { port, count, sessions, apiSecret, timeoutMs } = argument as Hold;
        const headers = { Authorization: `Bearer ${apiSecret}` };
        held = await holdPolls(port, count, (index) => {
          const sessionId = sessions[index % sessions.length] ?? '';
          return requestBytes('GET', `/v3/session/${sessionId}?timeoutMs=${timeoutMs}`, headers);
        });
      },
      answered: () => held?.answeredSoFar() ?? 0,
    },
    stop: () => {
      held?.close();
      return Promise.resolve();
    },
  });
});
