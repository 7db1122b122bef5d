import { z } from 'zod';
import type { OcspReply, OcspResponder } from '../../application/ports/ocspResponder.ts';
import { anyone } from '../http/guards.ts';
import { type Reply, type Route, route } from '../http/route.ts';

/**
 * How long caches on the way may keep an answer, seconds: much less than it is valid, so that a revocation is seen soon
 * behind them too (RFC 5019 §6.2 lets max-age be shorter).
 */
const SHARED_CACHE_SECONDS = 60;

/** Some hundred certificates in one request. */
const MAX_REQUEST_BYTES = 8 * 1024;

const anything = z.unknown();
const PATH = '/ocsp/';

/** The OCSP responder over HTTP (RFC 6960 appendix A, RFC 5019 §5 and §6). Public. */
export function ocspRoutes(responder: OcspResponder): readonly Route[] {
  const shared = {
    hot: true,
    countedOnly: true,
    guard: anyone,
    params: anything,
    query: anything,
    body: null,
  } as const;
  return [
    route({
      ...shared,
      name: 'ocsp',
      summary: 'Certificate status: OCSPRequest in, OCSPResponse out, both DER',
      method: 'POST',
      path: '/ocsp',
      maxBodyBytes: MAX_REQUEST_BYTES,
      handle: ({ context }) => respond(responder, context.rawBody),
    }),
    route({
      ...shared,
      name: 'ocspGet',
      summary: 'Certificate status: the OCSPRequest as base64 in the path',
      method: 'GET',
      path: `${PATH}*request`,
      handle: ({ context: { target, headers } }) =>
        respond(responder, requestIn(target), headers['if-none-match']),
    }),
  ];
}

/**
 * The request in the address: base64, of which clients percent-encode all, some or nothing.
 *
 * @returns empty bytes when it is not that: a malformed request
 */
function requestIn(target: string): Buffer {
  const encoded = target.slice(target.indexOf(PATH) + PATH.length).replace(/\?.*$/s, '');
  const text = decodeURIComponent(encoded);
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0);
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
  const contentType = 'application/ocsp-response';
  if (lifetime === null) return { body, contentType, headers: forThisCaller };
  const { thisUpdate, nextUpdate, fingerprint } = lifetime;
  const left = Math.max(0, Math.floor((nextUpdate.getTime() - Date.now()) / 1000));
  const etag = `"${fingerprint}"`;
  const headers = {
    'cache-control': `max-age=${Math.min(SHARED_CACHE_SECONDS, left)}, public, no-transform, must-revalidate`,
    'last-modified': thisUpdate.toUTCString(),
    expires: nextUpdate.toUTCString(),
    etag,
  };
  if (knownTags?.includes(etag) === true) return { status: 304, contentType, headers };
  return { body, contentType, headers };
}

const forThisCaller = { 'cache-control': 'no-cache, no-store' };
