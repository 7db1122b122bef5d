import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import {
  type Argument,
  type Check,
  checkArguments,
  objectWith,
  optional,
  textOrBytes,
  time,
} from './arguments.ts';
import { ConfigurationError } from './errors.ts';
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

const signingKeys: Check = (value, name) => {
  const given = Array.isArray(value) ? value : [value];
  if (given.length > 0 && given.every((key) => typeof key === 'string' && isKey(key))) return;
  throw new ConfigurationError(`${name} must be whsec_… or whpk_…, or an array of such.`);
};

const requestArguments: readonly Argument[] = [
  [
    'request',
    objectWith({
      body: textOrBytes,
      headers: objectWith({}),
      keys: signingKeys,
      now: optional(time),
    }),
  ],
];

function isKey(key: string): boolean {
  const { length } = bytesOf(key);
  return key.startsWith('whsec_') ? length >= 24 : key.startsWith('whpk_') && length === 32;
}

const bytesOf = (key: string) => Buffer.from(key.slice(key.indexOf('_') + 1), 'base64');

const spkiHead = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Verifies that a request is an event of the platform and fresh, in constant time, and reads it.
 *
 * @throws WebhookError; ConfigurationError of an argument that is none
 */
export function verifyWebhook(request: WebhookOptions): WebhookEvent {
  checkArguments('verifyWebhook', requestArguments, [request]);
  return verified(request);
}

function verified({ body, headers, keys, now = new Date() }: WebhookOptions): WebhookEvent {
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
  const bytes = bytesOf(key);
  if (key.startsWith('whsec_')) {
    const expected = createHmac('sha256', bytes).update(signed).digest();
    return [
      'v1',
      (base64) => {
        const actual = Buffer.from(base64, 'base64');
        return actual.length === expected.length && timingSafeEqual(actual, expected);
      },
    ];
  }
  const der = Buffer.concat([spkiHead, bytes]);
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return ['v1a', (base64) => verify(null, signed, publicKey, Buffer.from(base64, 'base64'))];
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
