import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '../../application/ports/clock.ts';
import type { PushSet } from '../../application/signals/ports/signalStreams.ts';
import type { SendOutcome, SendWebhook } from '../../application/webhooks/ports/webhooks.ts';
import { createGuardedLookup, type GuardOptions, RefusedAddress } from './addressGuard.ts';
import { webhookHeaders } from './standardWebhooks.ts';

export interface WebhookSenderOptions extends GuardOptions {
  readonly clock: Clock;
  /** Time for everything from the name's resolution to the head of the answer, ms; default 10 s. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/** Statuses of a receiver that asks to be left alone for a while; others are about the message. */
const overloaded: readonly (number | undefined)[] = [429, 502, 503, 504];

/**
 * Sends by HTTP POST: to addresses of public networks alone, each connection to an address that was checked, not to where
 * a redirect leads. Of the answer the status alone is read: its body, however long, is not waited for.
 */
function createPost({ timeoutMs = TIMEOUT_MS, ...options }: Omit<WebhookSenderOptions, 'clock'>) {
  const lookup = createGuardedLookup(options);

  function exchange(address: URL, headers: Readonly<Record<string, string>>, body: string) {
    const request = address.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(address, {
        method: 'POST',
        headers: {
          'content-length': String(Buffer.byteLength(body)),
          'user-agent': 'Tamga-Webhooks',
          connection: 'close',
          ...headers,
        },
        // A connection of its own: none is kept to an address that was checked earlier.
        agent: false,
        lookup,
        signal: AbortSignal.timeout(timeoutMs),
        maxHeaderSize: 16_384,
      });
      sent.once('response', (response) => {
        resolve(response);
        response.destroy();
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  return async (
    address: string,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<SendOutcome> => {
    try {
      const url = new URL(address);
      lookup.check(url.hostname);
      return outcomeOf((await exchange(url, headers, body)).statusCode);
    } catch (error) {
      return { kind: 'UNREACHABLE', reason: reasonOf(error, timeoutMs) };
    }
  };
}

/** Sends webhooks, signed; see {@link createPost}. */
export function createWebhookSender(options: WebhookSenderOptions): SendWebhook {
  const post = createPost(options);
  return ({ id, address, body }, keys) => {
    const signatures = webhookHeaders({ id, body }, keys, options.clock.now());
    return post(address, { 'content-type': 'application/json', ...signatures }, body);
  };
}

/** Pushes security event tokens (RFC 8935 §2.1); see {@link createPost}. */
export function createSetSender(options: Omit<WebhookSenderOptions, 'clock'>): PushSet {
  const post = createPost(options);
  return (set, { endpointUrl, authorizationHeader }) => {
    const headers = {
      'content-type': 'application/secevent+jwt',
      accept: 'application/json',
      ...(authorizationHeader !== null && { authorization: authorizationHeader }),
    };
    return post(endpointUrl, headers, set);
  };
}

function outcomeOf(status: number | undefined): SendOutcome {
  if (status !== undefined && status >= 200 && status < 300) return { kind: 'TAKEN' };
  if (status === 410) return { kind: 'GONE' };
  const isRedirect = status !== undefined && status >= 300 && status < 400;
  const reason = isRedirect
    ? `HTTP ${status}: redirects are not followed.`
    : `HTTP ${String(status)}.`;
  return { kind: overloaded.includes(status) ? 'UNREACHABLE' : 'REFUSED', reason };
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof RefusedAddress) return error.message;
  const { name, code } = error as { readonly name?: string; readonly code?: string };
  if (name === 'AbortError' || name === 'TimeoutError') {
    return `No answer within ${timeoutMs / 1000} s.`;
  }
  return `No connection (${code ?? name ?? 'unknown'}).`;
}
