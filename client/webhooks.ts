import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { isObject } from './json.ts';

/** An event as the platform tells of it: ids and states; what they mean in detail is asked for. */
export interface WebhookEvent {
  /** The same at each attempt: handle an event once. */
  readonly id: string;
  /** For example `session.completed`; new ones may come. */
  readonly type: string;
  /** Time of what happened, ISO 8601. */
  readonly timestamp: string;
  /** Ids and states, by type (documentation, Events). */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Headers of a request, lower-case names, or as `fetch` has them. */
export type WebhookHeaders =
  Pick<Headers, 'get'> | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A received request, and the keys that may have signed it. */
export interface WebhookOptions {
  /** Body of the request, as it was received: parsed and written again, its signature does not hold. */
  readonly body: string | Uint8Array;
  /** Headers of the request. */
  readonly headers: WebhookHeaders;
  /** `whsec_…`, or `whpk_…`; several while keys are rotated. */
  readonly keys: string | readonly string[];
  /** Present time; default: the clock. */
  readonly now?: Date;
}

/** The request is not an event of the platform: answer 400 and do nothing. */
export class WebhookError extends Error {
  /** Name of the class. */
  override readonly name = 'WebhookError';
}

/** Difference of clocks, and age of a replayed request, at most, s (Standard Webhooks, Verifying webhook authenticity). */
const TOLERANCE_S = 300;
const spkiHead = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Verifies that a request is an event of the platform and fresh, in constant time, and reads it.
 *
 * @throws WebhookError
 */
export function verifyWebhook({
  body,
  headers,
  keys,
  now = new Date(),
}: WebhookOptions): WebhookEvent {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const given = headerOf(headers, 'webhook-signature');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookError('webhook-timestamp is not a time.');
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_S) {
    throw new WebhookError('webhook-timestamp is more than five minutes away.');
  }
  const bytes = Buffer.from(body);
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), bytes]);
  const signatures = given.split(' ').map((each) => each.split(',', 2));
  const isSigned = [keys].flat().some((key) => {
    const [version, holds] = verifierOf(key, signed);
    return signatures.some(([of, value = '']) => of === version && holds(value));
  });
  if (!isSigned) throw new WebhookError('No signature is of a known key.');
  return eventIn(id, bytes.toString('utf8'));
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = isFetched(headers) ? headers.get(name) : headers[name];
  if (typeof value !== 'string' || value === '') throw new WebhookError(`${name} is missing.`);
  return value;
}

function isFetched(headers: WebhookHeaders): headers is Pick<Headers, 'get'> {
  return typeof headers.get === 'function';
}

/** @returns version of the signatures that a key verifies, and what tells whether one holds */
function verifierOf(key: string, signed: Buffer): readonly [string, (base64: string) => boolean] {
  const bytes = Buffer.from(key.slice(key.indexOf('_') + 1), 'base64');
  if (key.startsWith('whsec_') && bytes.length >= 24) {
    const expected = createHmac('sha256', bytes).update(signed).digest();
    return [
      'v1',
      (base64) => {
        const actual = Buffer.from(base64, 'base64');
        return actual.length === expected.length && timingSafeEqual(actual, expected);
      },
    ];
  }
  if (key.startsWith('whpk_') && bytes.length === 32) {
    const publicKey = createPublicKey({
      key: Buffer.concat([spkiHead, bytes]),
      format: 'der',
      type: 'spki',
    });
    return ['v1a', (base64) => verify(null, signed, publicKey, Buffer.from(base64, 'base64'))];
  }
  throw new TypeError('A key is neither whsec_… nor whpk_….');
}

function eventIn(id: string, text: string): WebhookEvent {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new WebhookError('The body is not JSON.');
  }
  if (!isObject(body)) throw new WebhookError('The body is not an object.');
  const { type, timestamp, data } = body;
  if (typeof type !== 'string' || typeof timestamp !== 'string' || !isObject(data)) {
    throw new WebhookError('The body is not an event.');
  }
  return { id, type, timestamp, data };
}
