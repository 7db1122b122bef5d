import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { parse, type ParsedUrlQuery } from 'node:querystring';
import { type FieldFault, Refusal } from '../../domain/shared/refusal.ts';
import { type Exchange, goOnWith, noBytes, type Step } from './exchange.ts';
import { hasBody } from '../bounds/connections.ts';
import type { Route } from './route.ts';
import { Overloaded } from '../../application/ports/faults.ts';

/** Bytes read and discarded above the limit, so that the caller receives the 413. */
const LINGER = 8 * 1024 * 1024;

/** Deepest nesting of arrays and objects in a JSON body. */
const maxJsonDepth = 32;

/** Default size limit of a body, bytes. */
const defaultMaxBodyBytes = 64 * 1024;

/** Size limit of a route's body, bytes. */
export function maxBodyBytesOf({ maxBodyBytes = defaultMaxBodyBytes }: Route): number {
  return maxBodyBytes;
}

/** Step that reads the whole body, unless a step before it has. */
export function readWhole(route: Route): Step {
  const limit = maxBodyBytesOf(route);
  return (request, response, next) => {
    const { exchange } = response.locals;
    // Without bytes, an announced body may have been read to its end before.
    const isThere = !hasBody(request) || exchange.rawBody !== noBytes || request.readableEnded;
    return goOnWith(isThere ? exchange.rawBody : readBody(request, response, { limit }), (body) => {
      exchange.rawBody = body;
      next();
    });
  };
}

/** Step of routes that read the body late, if at all: what they left of it is discarded. */
export const discardUnread: Step = (request, { locals: { exchange } }, next) => {
  exchange.atLast(() => discardRest(request));
  next();
};

/** Step that leaves the body to the handler: the request is work again once it is there. */
export const leaveToHandler: Step = (_request, { locals: { exchange } }, next) => {
  exchange.countOnceBodyIsThere();
  next();
};

/** Bounds of a body that is read whole. */
export interface BodyBounds {
  /** Bytes at most. */
  readonly limit: number;
  /** Called with the size of every piece; an error it throws ends the reading. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * Reads the whole body.
 *
 * @throws Refusal PAYLOAD_TOO_LARGE as soon as the limit is exceeded, announced or counted
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  bounds: BodyBounds,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    collectBody(request, response, bounds, (error, body) => {
      if (error !== null) reject(error);
      else resolve(body);
    });
  });
}

/**
 * Reads the whole body like {@link readBody}, without a promise: calls back in the tick in which
 * the last byte arrives.
 */
export function collectBody(
  request: IncomingMessage,
  response: ServerResponse,
  { limit, onBytes }: BodyBounds,
  settle: (error: Error | null, body: Buffer) => void,
): void {
  const fail = (error: Error) => settle(error, noBytes);
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    discard(request);
    fail(tooLarge(limit));
    return;
  }
  if (request.headers.expect !== undefined) response.writeContinue();
  const pieces: Buffer[] = [];
  let size = 0;
  function take(piece: Buffer) {
    size += piece.length;
    pieces.push(piece);
    try {
      if (size > limit) throw tooLarge(limit);
      onBytes?.(piece.length);
    } catch (error) {
      request.off('data', take);
      request.off('end', finish);
      discard(request);
      fail(error as Error);
    }
  }
  function finish() {
    const [whole = noBytes] = pieces;
    settle(null, pieces.length > 1 ? Buffer.concat(pieces, size) : whole);
  }
  request.on('data', take);
  request.on('end', finish);
  request.on('error', fail);
}

/**
 * Reads and discards the rest of the body, up to a bound, so that the caller receives the response.
 */
function discard(request: IncomingMessage): void {
  let discarded = 0;
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > LINGER) request.socket.destroy();
  });
  request.on('error', () => request.socket.destroy());
}

/** Discards the rest of a body that the route may have read partly or fully. */
function discardRest(request: IncomingMessage): void {
  request.unpipe();
  if (!request.readableEnded && hasBody(request)) discard(request);
}

function tooLarge(limit: number): Refusal {
  return new Refusal('PAYLOAD_TOO_LARGE', {
    detail: `The body is larger than the ${limit} bytes this address accepts.`,
  });
}

/**
 * True for a body of this media type, and for one without any: a recipient may then assume it (RFC
 * 9110 §8.3).
 */
export function isBodyOf(
  { 'content-type': sent = '' }: Readonly<IncomingHttpHeaders>,
  mediaType: string,
): boolean {
  return sent === '' || sent === mediaType || mediaTypeIn(sent) === mediaType;
}

function mediaTypeIn(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** @throws Refusal UNSUPPORTED_MEDIA_TYPE for a body declared as another type; see {@link isBodyOf} */
export function expectBodyOf(headers: Readonly<IncomingHttpHeaders>, mediaType: string): void {
  if (isBodyOf(headers, mediaType)) return;
  throw unsupported('content-type', `Send the body as ${mediaType}.`);
}

function unsupported(header: 'content-type' | 'content-encoding', detail: string): Refusal {
  return new Refusal('UNSUPPORTED_MEDIA_TYPE', {
    detail,
    errors: [{ pointer: `#/header/${header}`, detail }],
  });
}

/** JSON is UTF-8 between systems, whatever a parameter says (RFC 8259 §8.1). */
function faultOfType(type: string | undefined): string {
  if (type === undefined) return 'The Content-Type is missing; send application/json.';
  return mediaTypeIn(type) === 'application/json'
    ? 'Send the body in UTF-8, with no other parameter than charset=utf-8.'
    : 'Use application/json.';
}

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?$/i;

/**
 * Parses the JSON value of a body; undefined when there is none.
 *
 * @throws Refusal UNSUPPORTED_MEDIA_TYPE, INVALID_REQUEST
 */
export function parseJson(headers: Readonly<IncomingHttpHeaders>, bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const { 'content-type': type, 'content-encoding': encoding } = headers;
  if (type === undefined || !JSON_TYPE.test(type.trim())) {
    throw unsupported('content-type', faultOfType(type));
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw unsupported('content-encoding', 'Send the body without a content encoding.');
  }
  if (!isUtf8(bytes)) throw malformed('The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed('The body is not valid JSON.');
  }
  if (!isShallow(value, maxJsonDepth)) {
    throw malformed(`The body is nested deeper than ${maxJsonDepth} levels.`);
  }
  // Escapes of text that databases cannot store: U+0000 and lone surrogates.
  if (SUSPICIOUS_ESCAPE.test(text)) refuseUnstorableText(value);
  return value;
}

const SUSPICIOUS_ESCAPE = /\\u(?:0000|d[89a-f])/i;

function malformed(detail: string): Refusal {
  return new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '', detail }] });
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}

/** True for storable text: no U+0000, no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

const unstorable = 'Text must not contain U+0000 or a half of a surrogate pair.';

function refuseUnstorableText(value: unknown): void {
  const faults: FieldFault[] = [];
  collectUnstorable(value, '', faults);
  if (faults.length > 0) throw new Refusal('INVALID_REQUEST', { errors: faults });
}

function collectUnstorable(value: unknown, pointer: string, faults: FieldFault[]): void {
  if (typeof value === 'string' && !isStorable(value)) {
    faults.push({ pointer, detail: unstorable });
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!isStorable(key)) faults.push({ pointer, detail: unstorable });
    collectUnstorable(inner, `${pointer}/${escapePointer(key.toWellFormed())}`, faults);
  }
}

/** Escapes a reference token of a JSON pointer (RFC 6901 §3). */
export function escapePointer(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * Parses a query string; a repeated parameter becomes a list.
 *
 * @throws Refusal INVALID_REQUEST
 */
export function parseQuery(text: string): ParsedUrlQuery {
  if (text === '') return noQuery;
  const faults: string[] = [];
  // Faults are collected: the parser takes a throw for a reason to decode leniently.
  function decode(part: string): string {
    let decoded = '';
    try {
      decoded = decodeURIComponent(part);
    } catch {
      faults.push('The query is not valid percent-encoded UTF-8.');
    }
    if (!isStorable(decoded)) faults.push(unstorable);
    return decoded;
  }
  const parameters = parse(text, '&', '=', { decodeURIComponent: decode, maxKeys: 0 });
  const [detail] = faults;
  if (detail !== undefined) {
    throw new Refusal('INVALID_REQUEST', { errors: [{ pointer: '#/query', detail }] });
  }
  return parameters;
}

const noQuery: ParsedUrlQuery = Object.freeze(Object.create(null) as ParsedUrlQuery);

/**
 * Total size of large bodies held at once, bytes: processing one takes some three times its size.
 */
const MAX_BYTES = 128 * 1024 * 1024;

/**
 * Makes the step that reads bodies of megabytes, behind their guard and within a total capacity: refused with 503
 * without.
 */
export function createLargeBodies(): (route: Route) => Step {
  const held = new Map<Exchange, number>();
  let inUse = 0;

  function release(exchange: Exchange): void {
    inUse -= held.get(exchange) ?? 0;
    held.delete(exchange);
  }

  async function read(exchange: Exchange, limit: number): Promise<Buffer> {
    const { request, response } = exchange;
    const announced = Number(request.headers['content-length'] ?? limit);
    const need = Math.min(announced, limit);
    if (inUse > 0 && inUse + need > MAX_BYTES) throw new Overloaded('large bodies');
    // Counts what has arrived: announcing a body costs nothing.
    const onBytes = (bytes: number) => {
      const own = held.get(exchange) ?? 0;
      if (inUse > own && inUse + bytes > MAX_BYTES) throw new Overloaded('large bodies');
      held.set(exchange, own + bytes);
      inUse += bytes;
    };
    return readBody(request, response, { limit, onBytes });
  }

  return (route) =>
    async (request, { locals: { exchange } }, next) => {
      if (hasBody(request)) {
        exchange.atLast(() => release(exchange));
        exchange.pause();
        exchange.rawBody = await read(exchange, maxBodyBytesOf(route));
      }
      next();
    };
}
