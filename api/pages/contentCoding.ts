import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { weighted } from '../http/weighted.ts';
import type { Reply, RequestContext } from '../http/route.ts';

/** Content codings of this service, the one that packs best first (RFC 9110 §8.4.1, RFC 7932). */
const codings = ['br', 'gzip'] as const;
export type Coding = (typeof codings)[number];

/** Compresses in the thread pool; quality 11 of Brotli takes about a second for half a megabyte. */
const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** Gives bytes in a coding, compressed when they are first asked for and kept. */
export type Compressed = (coding: Coding) => Promise<Buffer>;

/** Bytes to be sent to many callers. */
export function compressed(body: Buffer): Compressed {
  const made = new Map<Coding, Promise<Buffer>>();
  const options = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: body.length } };
  return (coding) => {
    const packed =
      made.get(coding) ?? (coding === 'br' ? compress.br(body, options) : compress.gzip(body));
    made.set(coding, packed);
    return packed;
  };
}

/**
 * Coding of a response: of those the caller accepts the one it weighs most, and of equals ours
 * (RFC 9110 §12.5.3). @returns null for none
 */
export function codingFor(headers: Pick<IncomingHttpHeaders, 'accept-encoding'>): Coding | null {
  const weights = new Map(
    weighted(headers['accept-encoding']).map(({ value, weight }) => [
      // An alias (RFC 9110 §8.4.1.3).
      value === 'x-gzip' ? 'gzip' : value,
      weight,
    ]),
  );
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0;
  const [best] = codings
    .filter((coding) => weightOf(coding) > 0)
    .toSorted((one, other) => weightOf(other) - weightOf(one));
  // A caller that does not name the plain form takes it only in the last place.
  return best !== undefined && weightOf(best) >= (weights.get('identity') ?? 0) ? best : null;
}

/** Quality of Brotli for what is made for one caller: a page in a fraction of a millisecond. */
const ONE_CALLER = 5;

/**
 * Packs a page made for one caller. Pages that hold a secret of more than one request stay plain: with what the caller
 * sent beside it, its length would tell it (BREACH).
 *
 * @param quality of Brotli, to 11
 * @returns the bytes, and the headers that say so
 */
export async function packedFor(
  headers: Pick<IncomingHttpHeaders, 'accept-encoding'>,
  body: Buffer,
  quality = ONE_CALLER,
): Promise<{ readonly body: Buffer; readonly coded: Readonly<Record<string, string>> }> {
  const coding = codingFor(headers);
  if (coding === null) return { body, coded: {} };
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: quality } };
  const packing = coding === 'br' ? compress.br(body, options) : compress.gzip(body);
  return { body: await packing, coded: { 'content-encoding': coding } };
}

/** Handler of a route whose every reply is the same bytes, in the coding its caller prefers. */
export function codedReply(
  body: Buffer,
  contentType: string,
  cacheControl: string,
): (request: { readonly context: Pick<RequestContext, 'headers'> }) => Promise<Reply> {
  const packed = compressed(body);
  const common = { 'cache-control': cacheControl, vary: 'accept-encoding' };
  return async ({ context }) => {
    const coding = codingFor(context.headers);
    return coding === null
      ? { body, contentType, headers: common }
      : {
          body: await packed(coding),
          contentType,
          headers: { ...common, 'content-encoding': coding },
        };
  };
}
