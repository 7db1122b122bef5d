import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Actor } from '../../application/ports/eventStore.ts';
import type { Capability } from '../../domain/operator/capabilities.ts';
import type { Deprecation } from './deprecation.ts';
import type { Problem, WrittenRefusal } from '../problems/problem.ts';

/** State of a limit. */
export interface RateLimitState {
  readonly perMinute: number;
  readonly remaining: number;
  /** Time until the window ends, ms. */
  readonly resetsInMs: number;
}

/** Rate limit per address; responses carry its state in `X-RateLimit-*`. */
export interface AddressLimit {
  /** Counts a request. @throws RateLimited */
  consume(ip: string): Promise<RateLimitState>;
}

/** Request data available before anything is validated. */
export interface RequestContext {
  /** Also in `X-Request-Id` and in the `instance` of an error body. */
  readonly requestId: string;
  readonly method: string;
  /** The request target as received: path and query, still percent-encoded. */
  readonly target: string;
  /** Address of the caller, after trusted proxies. */
  readonly ip: string;
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** Number of headers sent with this (lower-case) name; `headers` has only the first of some. */
  headerCount(name: string): number;
  /** SHA-256 fingerprint (lower-case hexadecimal) of the client certificate; null without one. */
  readonly clientCertificate: string | null;
  /** The body's bytes as received; empty when there was none. */
  readonly rawBody: Buffer;
  /**
   * Stream of the body, for routes that read it themselves. Unread data is discarded after the
   * response.
   */
  openBody(): Readable;
  /** Called by guards as soon as the caller is identified, before a possible refusal. */
  identified?(actor: Actor): void;
  /**
   * Calls back once when the caller disconnects or the server shuts down. @returns function that
   * unregisters
   */
  onGone(callback: () => void): () => void;
}

/** Path parameters found by the router, percent-decoded. */
export type RawParams = Readonly<Record<string, string | string[] | undefined>>;

/** Variable parts of a request target that matched a route. */
export interface MatchedTarget {
  readonly params: RawParams;
  /** Text after `?`, still encoded. */
  readonly query: string;
}

/** A request whose parts passed their schemas and whose caller passed the guard. */
export interface RouteRequest<Principal, Params, Query, Body> {
  readonly principal: Principal;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly context: RequestContext;
}

export interface Reply {
  /** HTTP status; default 200. */
  readonly status?: number;
  /** Body: an object is sent as JSON, bytes unchanged. Omitted: no body. */
  readonly body?: object | Buffer;
  /** Stream instead of `body`, sent as fast as it is read. A failure cuts the connection. */
  readonly stream?: AsyncIterable<Uint8Array>;
  /** Media type; default `application/json` for objects. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Public identifier of the disclosed record, for the audit, where the address does not name it.
   */
  readonly about?: string;
}

/**
 * Success responses by status: the schema of JSON, the media type of anything else, null for no
 * body. Schemas are closed (other fields are not sent) and transform nothing.
 */
export type ResponseShape = Readonly<Record<number, z.ZodType | string | null>>;

/** Authentication schemes, as named in OpenAPI; defined in `openApi.ts`. */
export type SecurityScheme =
  | 'apiSecret'
  | 'deviceProof'
  | 'operatorSession'
  | 'operatorMfa'
  | 'adminKey'
  | 'accessToken'
  | 'verificationSecret';

/** Response prepared in advance, so that sending costs no more than the look-up. */
export interface PreparedReply {
  readonly status: number;
  /**
   * Alternating lower-case names and values, including `cache-control`; common headers are added.
   */
  readonly headers: readonly string[];
  /** Body, one character (latin1) per byte: Node.js writes it in one piece with the head. */
  readonly text: string;
}

/**
 * Authenticates and authorizes the caller. @throws Refusal UNAUTHENTICATED, IP_NOT_ALLOWED,
 * PERMISSION_DENIED, …
 */
export interface Guard<Principal> {
  /** Text of the route listing, for example `relying party with SIGN`. */
  readonly description: string;
  /** Accepted authentication schemes, any one of them; omitted for public routes. */
  readonly security?: readonly SecurityScheme[];
  /** Capability required of operators. */
  readonly capability?: Capability;
  readonly check: (context: RequestContext) => Promise<Principal> | Principal;
  /** Actor of the principal for log and event metadata; omitted for public routes. */
  actorOf?(principal: Principal): Actor;
}

/** Lists a route in discovery at the origin of the relying-party API. */
export const rpApi = 'rpApi';

/** One operation of the HTTP surface, as data independent of any framework. */
export interface RouteDefinition<Principal, Params, Query, Body> {
  /** Unique name: key in discovery where the route is listed there, and operation id. */
  readonly name: string;
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Path pattern: `:name` is a parameter, for example `/v3/session/:sessionId`; `*name` at the end
   * the rest, slashes included.
   */
  readonly path: string;
  /** Origin in discovery, or {@link rpApi}; null, the default: not listed. */
  readonly listedUnder?: string | null;
  /** Load shedding: new work is refused first, health is always served. Default: refused late. */
  readonly underLoad?: 'refuseFirst' | 'alwaysServe';
  /**
   * While a restored installation is not accepted: `serve` says so itself, in its own protocol; `serveOnceSettled` is
   * what accepting needs, once nothing of before the loss is under way. Default: refused.
   */
  readonly whileClosed?: 'serve' | 'serveOnceSettled';
  /**
   * Counts successful requests without logging them, for requests in high volume. Refusals are
   * logged.
   */
  readonly countedOnly?: boolean;
  /** Deprecation, made by {@link deprecated}. */
  readonly deprecated?: Deprecation;
  readonly guard: Guard<Principal>;
  /** Scopes of the surface, named where those of an access token do not suffice (RFC 6750 §3.1). */
  readonly scopes?: readonly string[];
  /** Rate limit, counted before anything else. */
  readonly limit?: AddressLimit;
  /** Read-only despite its method: refusals are not audited as refused commands. */
  readonly isQuestion?: true;
  /** Audits responses as disclosures of personal data, independent of the capability. */
  readonly discloses?: true;
  /** Repeated by pages that wait: the same target is audited as a disclosure once in five minutes for each caller. */
  readonly isPolled?: true;
  readonly params: z.ZodType<Params>;
  readonly query: z.ZodType<Query>;
  /** Schema of the body; null: no JSON body, anything sent (`null`, `{}`, nothing) is ignored. */
  readonly body: z.ZodType<Body> | null;
  /** Media type of a body that is not JSON, for OpenAPI only; default `application/json`. */
  readonly bodyType?: string;
  /** Format of refusals; default: problems (contract §6). */
  readonly refusedAs?:
    | ((problem: Problem, request: Pick<RequestContext, 'headers' | 'requestId'>) => WrittenRefusal)
    | undefined;
  /** Success responses. */
  readonly response?: ResponseShape;
  /** Size limit of the body; default 64 KiB. */
  readonly maxBodyBytes?: number;
  /** Runs the guard before the body is read: for large bodies, and guards that do not read it. */
  readonly guardBeforeBody?: boolean;
  /**
   * Responses of this route being sent at once in this process, for those that are streamed: without
   * it none may be. Further ones are refused with 503.
   */
  readonly streamsAtOnce?: number;
  /** Leaves the body to the handler ({@link RequestContext.openBody}), which bounds its size. */
  readonly streamsBody?: true;
  /**
   * Looks up a cached response to exactly these bytes, for public routes with thousands of requests
   * a second. Null, also whenever in doubt: the request takes the general path. Must not throw.
   */
  readonly cachedResponse?: (request: {
    readonly target: string;
    readonly rawBody: Buffer;
    readonly headers: IncomingHttpHeaders;
  }) => PreparedReply | null;
  readonly handle: (
    request: RouteRequest<Principal, Params, Query, Body>,
  ) => Promise<Reply> | Reply;
}

/** A route of any types. */
export type Route = RouteDefinition<unknown, unknown, unknown, unknown>;

/** A route as it is written: no path parameters, no query and no JSON body unless it names their schemas. */
type RouteInput<Principal, Params, Query, Body> = Omit<
  RouteDefinition<Principal, Params, Query, Body>,
  'params' | 'query' | 'body'
> &
  Partial<Pick<RouteDefinition<Principal, Params, Query, Body>, 'params' | 'query' | 'body'>>;

const noFields = z.object({});

/** Checks a route's types against each other, then erases them, so that all routes fit in one list. */
export function route<Principal, Params = object, Query = object, Body = null>(
  input: RouteInput<Principal, Params, Query, Body>,
): Route {
  return { params: noFields, query: noFields, body: null, ...input } as unknown as Route;
}
