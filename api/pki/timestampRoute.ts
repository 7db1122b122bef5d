import { z } from 'zod';
import { networkOf } from '../../application/audit/strangers.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { anyone } from '../http/guards.ts';
import type { RateLimit } from '../http/rateLimit.ts';
import { type Route, route } from '../http/route.ts';

export interface TimestampRouteOptions {
  /** From TimeStampReq to TimeStampResp, DER. */
  readonly answer: (request: Uint8Array) => Promise<Buffer>;
  readonly rateLimit: RateLimit;
  /** Per address. */
  readonly requestsPerMinute: number;
}

const nothing = z.object({});
const QUERY = 'application/timestamp-query';

/** A request is a digest and a few numbers. */
const MAX_REQUEST_BYTES = 8 * 1024;

/** `POST /tsa`: the built-in timestamping authority over HTTP (RFC 3161 §3.4). Public. */
export function timestampRoute({
  answer,
  rateLimit,
  requestsPerMinute,
}: TimestampRouteOptions): Route {
  return route({
    name: 'tsa',
    summary: 'A timestamp over a digest (RFC 3161)',
    method: 'POST',
    path: '/tsa',
    underLoad: 'refuseFirst',
    guard: anyone,
    params: nothing,
    query: nothing,
    body: null,
    bodyType: QUERY,
    response: { 200: 'application/timestamp-reply' },
    maxBodyBytes: MAX_REQUEST_BYTES,
    handle: async ({ context }) => {
      const type = context.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
      if (type !== QUERY) {
        const detail = `Send a TimeStampReq as ${QUERY}.`;
        throw new Refusal('UNSUPPORTED_MEDIA_TYPE', {
          detail,
          errors: [{ pointer: '#/header/content-type', detail }],
        });
      }
      await rateLimit.consume(networkOf(context.ip), requestsPerMinute);
      return { body: await answer(context.rawBody), contentType: 'application/timestamp-reply' };
    },
  });
}
