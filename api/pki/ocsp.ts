import { z } from 'zod';
import type {
  OcspReply,
  PreparedOcspReply,
  OcspReplyLifetime,
  OcspResponder,
} from './ports/ocspResponder.ts';
import { expectBodyOf, isBodyOf } from '../http/body.ts';
import { anyone } from '../http/handling.ts';
import { type PreparedReply, type Reply, type Route, route, rpApi } from '../http/route.ts';

/**
 * Max-age of responses in shared caches, s: far below their validity, so that a revocation is seen
 * soon behind caches, too (RFC 5019 §6.2 allows a shorter max-age).
 */
const SHARED_CACHE_SECONDS = 60;

/** Size limit of a request, some hundred certificates. */
const MAX_REQUEST_BYTES = 8 * 1024;

const REQUEST_TYPE = 'application/ocsp-request';
const MEDIA_TYPE = 'application/ocsp-response';

const anything = z.unknown();
const PATH = '/ocsp/';

/** OCSP responder over HTTP (RFC 6960 appendix A, RFC 5019 §5 and §6). Public. */
export function ocspRoutes(responder: OcspResponder): readonly Route[] {
  const shared = {
    countedOnly: true,
    whileClosed: 'serve',
    guard: anyone,
    params: anything,
    query: anything,
    response: { 200: 'application/ocsp-response' },
  } as const satisfies Partial<Route>;
  return [
    route({
      ...shared,
      name: 'ocsp',
      summary: 'Get the status of a certificate (OCSP): OCSPRequest in, OCSPResponse out, both DER',
      method: 'POST',
      path: '/ocsp',
      listedUnder: rpApi,
      maxBodyBytes: MAX_REQUEST_BYTES,
      cachedResponse: ({ rawBody, headers }) =>
        isBodyOf(headers, REQUEST_TYPE) ? preparedReply(responder.preparedReply(rawBody)) : null,
      bodyType: REQUEST_TYPE,
      handle: ({ context }) => {
        expectBodyOf(context.headers, REQUEST_TYPE);
        return respond(responder, context.rawBody);
      },
    }),
    route({
      ...shared,
      name: 'ocspGet',
      summary: 'Get the status of a certificate (OCSP), with the OCSPRequest as base64 in the path',
      method: 'GET',
      path: `${PATH}*request`,
      listedUnder: rpApi,
      cachedResponse: ({ target, headers }) =>
        headers['if-none-match'] === undefined
          ? preparedReply(responder.preparedReply(requestIn(target)))
          : null,
      handle: ({ context: { target, headers } }) =>
        respond(responder, requestIn(target), headers['if-none-match']),
    }),
  ];
}

/**
 * Decodes the request in the address: base64, which clients percent-encode fully, partly or not at
 * all.
 *
 * @returns empty bytes for anything else: a malformed request
 */
function requestIn(target: string): Buffer {
  const encoded = target.slice(target.indexOf(PATH) + PATH.length).replace(/\?.*$/s, '');
  const text = decoded(encoded);
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0);
}

/** Decodes percent-encoding; no text for what is none. */
function decoded(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return '';
  }
}

function respond(
  responder: OcspResponder,
  request: Buffer,
  knownTags?: string,
): Reply | Promise<Reply> {
  const reply = responder.respond(request);
  return reply instanceof Promise
    ? reply.then((later) => toReply(later, knownTags))
    : toReply(reply, knownTags);
}

function toReply({ body, lifetime }: OcspReply, knownTags: string | undefined): Reply {
  const contentType = MEDIA_TYPE;
  if (lifetime === null) return { body, contentType, headers: forThisCaller };
  const headers = cacheHeaders(lifetime, secondsLeft(lifetime));
  if (knownTags?.includes(headers.etag) === true) return { status: 304, contentType, headers };
  return { body, contentType, headers };
}

const forThisCaller = { 'cache-control': 'no-cache, no-store' };

function secondsLeft({ nextUpdate }: OcspReplyLifetime): number {
  return Math.max(0, Math.floor((nextUpdate.getTime() - Date.now()) / 1000));
}

function cacheHeaders({ thisUpdate, nextUpdate, fingerprint }: OcspReplyLifetime, left: number) {
  return {
    'cache-control': `max-age=${Math.min(SHARED_CACHE_SECONDS, left)}, public, no-transform, must-revalidate`,
    'last-modified': httpDate(thisUpdate),
    expires: httpDate(nextUpdate),
    etag: `"${fingerprint}"`,
  };
}

/** Cache of formatted dates: responses signed in one second share their times. */
const httpDates = new WeakMap<Date, string>();

function httpDate(time: Date): string {
  let text = httpDates.get(time);
  if (text === undefined) {
    text = time.toUTCString();
    httpDates.set(time, text);
  }
  return text;
}

function preparedReply(reply: PreparedOcspReply | null): PreparedReply | null {
  if (reply === null) return null;
  const headers: string[] = ['content-type', MEDIA_TYPE];
  const caching = cacheHeaders(reply, secondsLeft(reply));
  for (const name in caching) headers.push(name, caching[name as keyof typeof caching]);
  return { status: 200, headers, text: reply.text };
}
