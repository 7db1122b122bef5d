import { networkOf } from '../../application/attempts.ts';
import { expectBodyOf } from '../http/body.ts';
import { anyone } from '../http/handling.ts';
import type { RateLimit } from '../bounds/admission.ts';
import { type Route, route, rpApi } from '../http/route.ts';

export interface TimestampRouteOptions {
  /** Answers a TimeStampReq with a TimeStampResp, DER. */
  readonly answer: (request: Uint8Array) => Promise<Buffer>;
  readonly rateLimit: RateLimit;
  /** Rate limit per address. */
  readonly requestsPerMinute: number;
}

const QUERY = 'application/timestamp-query';

/** Size limit of a request: a digest and a few numbers. */
const MAX_REQUEST_BYTES = 8 * 1024;

/** `POST /tsa`: built-in time-stamping authority over HTTP (RFC 3161 §3.4). Public. */
export function timestampRoute({
  answer,
  rateLimit,
  requestsPerMinute,
}: TimestampRouteOptions): Route {
  return route({
    name: 'tsa',
    summary: 'Time-stamp a digest (RFC 3161)',
    method: 'POST',
    path: '/tsa',
    listedUnder: rpApi,
    underLoad: 'refuseFirst',
    guard: anyone,
    bodyType: QUERY,
    response: { 200: 'application/timestamp-reply' },
    maxBodyBytes: MAX_REQUEST_BYTES,
    handle: async ({ context }) => {
      expectBodyOf(context.headers, QUERY);
      await rateLimit.consume(networkOf(context.ip), requestsPerMinute);
      return { body: await answer(context.rawBody), contentType: 'application/timestamp-reply' };
    },
  });
}
