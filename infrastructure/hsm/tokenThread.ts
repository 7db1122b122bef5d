import { Worker } from 'node:worker_threads';
import type { VaultKey } from '../../application/ports/keyVault.ts';
import { Misconfigured, Overloaded, Unavailable } from '../../application/ports/faults.ts';
import type { Pkcs11TokenOptions } from './pkcs11Token.ts';
import type { TokenKeys } from './tokenKeys.ts';

/** A call of {@link TokenKeys}, sent to the thread. */
export interface TokenCall {
  readonly id: number;
  readonly method: keyof TokenKeys;
  readonly parameters: readonly unknown[];
}

/** Result of a call, sent back. */
export interface TokenAnswer {
  readonly id: number;
  readonly value?: unknown;
  readonly failed?: {
    readonly kind: 'Unavailable' | 'Overloaded' | 'Error';
    /** Message of the error; for Unavailable that of its cause. */
    readonly text: string;
    /** True for Unavailable because of what is configured. */
    readonly isMisconfigured?: boolean;
  };
}

/** The keys of a token, used from a thread of their own. */
export interface TokenThread extends TokenKeys {
  /** Closes the sessions and ends the thread; calls in flight are rejected. A later call starts it again. */
  stop(): Promise<void>;
}

interface Waiting {
  /** Start time by {@link performance}, ms. */
  readonly since: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Resource named in Overloaded. */
const OPERATIONS = 'key vault operations';

/**
 * All PKCS#11 calls except signing are synchronous, some query the device, and connecting may take seconds: in a thread
 * of their own they block no request. Calls of one turn of the event loop are sent together, as are their answers.
 * Starts with the first call.
 */
export function createTokenThread(options: Pkcs11TokenOptions): TokenThread {
  const { modulePath, tokenLabel, pin, loginAnyway = false, reconnectMs = 500 } = options;
  const { sessions = 4, maxWaiting = 2000, timeoutMs = 5000 } = options;
  /** The thread allows each of two attempts the timeout; more means a call of the module hangs. */
  const answerTimeoutMs = 3 * timeoutMs;
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  let unsent: TokenCall[] = [];
  let worker: Worker | undefined;
  let impatience: NodeJS.Timeout | undefined;

  function start(): Worker {
    const started = new Worker(new URL('./tokenThread.worker.js', import.meta.url), {
      workerData: {
        modulePath,
        tokenLabel,
        pin,
        loginAnyway,
        sessions,
        maxWaiting,
        timeoutMs,
        reconnectMs,
      } satisfies Pkcs11TokenOptions,
    });
    started.on('message', (answers: readonly TokenAnswer[]) => {
      for (const answer of answers) settle(answer);
      if (waiting.size === 0) started.unref();
    });
    const gone = (cause: unknown) => {
      if (worker === started) fail(cause);
    };
    started.on('error', gone);
    started.on('exit', () => gone(new Error('The PKCS#11 thread ended.')));
    impatience ??= setInterval(giveUp, timeoutMs).unref();
    return started;
  }

  function settle({ id, value, failed }: TokenAnswer): void {
    const call = waiting.get(id);
    waiting.delete(id);
    if (failed === undefined) call?.resolve(value);
    else call?.reject(errorOf(failed));
  }

  function fail(cause: unknown): void {
    worker = undefined;
    unsent = [];
    clearInterval(impatience);
    impatience = undefined;
    rejectAll(cause, Infinity);
  }

  function giveUp(): void {
    const cause = new Error('The PKCS#11 thread does not answer.');
    rejectAll(cause, performance.now() - answerTimeoutMs);
  }

  function rejectAll(cause: unknown, before: number): void {
    for (const [id, { since, reject }] of waiting) {
      if (since > before) break;
      waiting.delete(id);
      reject(new Unavailable('keyVault', cause));
    }
  }

  function send(): void {
    if (unsent.length === 0) return;
    worker ??= start();
    worker.ref();
    worker.postMessage(unsent);
    unsent = [];
  }

  function call(method: keyof TokenKeys, ...parameters: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (waiting.size >= maxWaiting + sessions) throw new Overloaded(OPERATIONS);
      calls += 1;
      waiting.set(calls, { since: performance.now(), resolve, reject });
      if (unsent.push({ id: calls, method, parameters }) === 1) setImmediate(send);
    });
  }

  return {
    async find(label) {
      const key = (await call('find', label)) as VaultKey | null;
      return key === null ? null : { ...key, publicKey: Buffer.from(key.publicKey) };
    },
    generate: (label, type) => call('generate', label, type) as Promise<void>,
    signDigest: (...parameters) => call('signDigest', ...parameters) as Promise<Uint8Array>,
    signMessage: (...parameters) => call('signMessage', ...parameters) as Promise<Uint8Array>,
    check: () => call('check') as Promise<void>,
    async stop() {
      const stopping = worker;
      fail(new Error('Stopped.'));
      if (stopping === undefined) return;
      const ended = new Promise((resolve) => stopping.once('exit', resolve));
      stopping.postMessage('stop');
      await ended;
    },
  };
}

function errorOf({ kind, text, isMisconfigured }: NonNullable<TokenAnswer['failed']>): Error {
  if (kind === 'Overloaded') return new Overloaded(OPERATIONS);
  const error = isMisconfigured === true ? new Misconfigured(text) : new Error(text);
  return kind === 'Unavailable' ? new Unavailable('keyVault', error) : error;
}
