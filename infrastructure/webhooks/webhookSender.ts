import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '../../application/ports/clock.ts';
import type {
  SendOutcome,
  SendWebhook,
  WebhookMessage,
} from '../../application/webhooks/ports/webhooks.ts';
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
 * Sends messages by HTTP POST: to addresses of public networks alone, each connection to an address that was checked,
 * not to where a redirect leads. Of the answer the status alone is read: its body, however long, is not waited for.
 */
export function createWebhookSender(options: WebhookSenderOptions): SendWebhook {
  const { clock, timeoutMs = TIMEOUT_MS } = options;
  const lookup = createGuardedLookup(options);

  function exchange(address: URL, headers: Readonly<Record<string, string>>, body: string) {
    const request = address.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(address, {
        method: 'POST',
        headers,
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

  return async ({ id, address, body }: Pick<WebhookMessage, 'id' | 'address' | 'body'>, keys) => {
    const bytes = Buffer.byteLength(body);
    const headers = {
      'content-type': 'application/json',
      'content-length': String(bytes),
      'user-agent': 'Tamga-Webhooks',
      connection: 'close',
      ...webhookHeaders({ id, body }, keys, clock.now()),
    };
    try {
      const url = new URL(address);
      lookup.check(url.hostname);
      return outcomeOf((await exchange(url, headers, body)).statusCode);
    } catch (error) {
      return { kind: 'UNREACHABLE', reason: reasonOf(error, timeoutMs) };
    }
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
