import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Actor } from '../../application/ports/eventStore.ts';
import type { Capability } from '../../domain/operator/capabilities.ts';
import type { Deprecation } from './deprecation.ts';
import type { Problem, WrittenRefusal } from './problems.ts';
import type { AddressLimit } from './rateLimit.ts';

/** What the pipeline knows of a request before anything in it is trusted. */
export interface RequestContext {
  /** Also in `X-Request-Id` and in the `instance` of an error body. */
  readonly requestId: string;
  readonly method: string;
  /** The request target as received: path and query, still percent-encoded. */
  readonly target: string;
  /** The caller's address, after trusted proxies. */
  readonly ip: string;
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** How many headers of this (lower-case) name were sent; of some, `headers` has only the first. */
  headerCount(name: string): number;
  /** SHA-256 fingerprint (lower-case hexadecimal) of the client certificate; null without one. */
  readonly clientCertificate: string | null;
  /** The body's bytes as received; empty when there was none. */
  readonly rawBody: Buffer;
  /** The body as it arrives, of rows that take it so. What is not read is thrown away when they have answered. */
  openBody(): Readable;
  /** Told by guards as soon as they know who calls, for they may refuse them still. */
  identified?(actor: Actor): void;
  /** Calls back once when the caller is gone or the server shuts down. Returns how to unregister. */
  onGone(callback: () => void): () => void;
}

/** Path parameters as a router found them, percent-decoded. */
export type RawParams = Readonly<Record<string, string | string[] | undefined>>;

/** A request whose parts passed their schemas and whose caller passed the guard. */
export interface RouteRequest<Principal, Params, Query, Body> {
  readonly principal: Principal;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly context: RequestContext;
}

export interface Reply {
  /** Default 200. */
  readonly status?: number;
  /** An object is sent as JSON; bytes are sent as they are. Omitted: no body. */
  readonly body?: object | Buffer;
  /** Instead of `body`: pieces sent one by one, as fast as they are read. What fails in between cuts the connection. */
  readonly stream?: AsyncIterable<Uint8Array>;
  /** Default `application/json` for objects. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Public identifier of the one thing disclosed, for the audit, where the address does not say it. */
  readonly about?: string;
}

/**
 * What a route answers when it succeeds, by status: the schema of JSON, the media type of anything else, null for no
 * body. Schemas are closed, what they do not name is not answered, and transform nothing.
 */
export type ResponseShape = Readonly<Record<number, z.ZodType | string | null>>;

/** How a caller proves who it is, as OpenAPI names it; the schemes are in `openApi.ts`. */
export type SecurityScheme =
  | 'apiSecret'
  | 'deviceProof'
  | 'operatorSession'
  | 'operatorMfa'
  | 'adminKey'
  | 'accessToken'
  | 'verificationSecret';

/** An answer made beforehand, as it is written: it costs no more than finding it. */
export interface PreparedReply {
  readonly status: number;
  /** Lower-case names and values in turn, `cache-control` among them; what every answer carries is added. */
  readonly headers: readonly string[];
  /** The bytes, a character (latin1) for each: Node writes them in one piece with the head. */
  readonly text: string;
}

/** Decides who calls. @throws Refusal UNAUTHENTICATED, IP_NOT_ALLOWED, PERMISSION_DENIED, … */
export interface Guard<Principal> {
  /** For the route listing, for example `relying party with SIGN`. */
  readonly description: string;
  /** The ways to identify, any one of them; omitted for public routes. */
  readonly security?: readonly SecurityScheme[];
  /** What an operator needs to be let in. */
  readonly capability?: Capability;
  readonly check: (context: RequestContext) => Promise<Principal> | Principal;
  /** Who the principal is in the log and in the metadata of events; omitted for public routes. */
  actorOf?(principal: Principal): Actor;
}

/** One row of the HTTP surface, as data: no framework in it. */
export interface RouteDefinition<Principal, Params, Query, Body> {
  /** Unique; the key of this address in discovery when it is listed there, and the operation id. */
  readonly name: string;
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `:name` marks a parameter, for example `/v3/session/:sessionId`; `*name` at the end all that is left, slashes too. */
  readonly path: string;
  /** Origin discovery lists it under, default that of the relying-party API; null: discovery does not list it. */
  readonly listedUnder?: string | null;
  /**
   * Served by the small dispatcher in front of Express as well and, where it comes as a plain request, at the door. Never
   * streams its answer.
   */
  readonly hot?: boolean;
  /** What happens under overload: new work is refused first, health is always answered. Default: refused late. */
  readonly underLoad?: 'refuseFirst' | 'alwaysServe';
  /** Whether an answered request is only counted, not logged: for what machines ask by the thousand. Refusals are logged. */
  readonly countedOnly?: boolean;
  /** Made by {@link deprecated}: its callers are told to leave. */
  readonly deprecated?: Deprecation;
  readonly guard: Guard<Principal>;
  /** Counted before anything else is looked at. */
  readonly limit?: AddressLimit;
  /** It changes nothing, though its method could: refusals are of no interest to the audit of commands. */
  readonly isQuestion?: true;
  /** What it answers is audited like what is kept about persons, whatever capability it needs. */
  readonly discloses?: true;
  readonly params: z.ZodType<Params>;
  readonly query: z.ZodType<Query>;
  /** Null: the route takes no JSON body; whatever is sent (`null`, `{}`, nothing) is ignored. */
  readonly body: z.ZodType<Body> | null;
  /** Media type of a body that is not JSON, for the description of the surface only; default `application/json`. */
  readonly bodyType?: string;
  /** How refusals are written; default: as problems (contract §6). */
  readonly refusedAs?: (problem: Problem) => WrittenRefusal;
  /** What is answered when nothing is wrong. */
  readonly response?: ResponseShape;
  /** Default 64 KiB. */
  readonly maxBodyBytes?: number;
  /** The guard is asked before the body is read: for large bodies, and guards that do not look at it. */
  readonly guardBeforeBody?: boolean;
  /** The body is not read beforehand, but by the row itself ({@link RequestContext.openBody}), which also bounds it. */
  readonly streamsBody?: true;
  /**
   * For public rows asked by the thousand a second: the answer to exactly these bytes where it is at hand, else null;
   * then, and under any odd circumstance, the request takes the way of all others. Must not throw.
   */
  readonly atHand?: (request: {
    readonly target: string;
    readonly rawBody: Buffer;
    readonly headers: IncomingHttpHeaders;
  }) => PreparedReply | null;
  readonly handle: (
    request: RouteRequest<Principal, Params, Query, Body>,
  ) => Promise<Reply> | Reply;
}

/** A row whose types have been checked and are no longer of interest. */
export type Route = RouteDefinition<unknown, unknown, unknown, unknown>;

/** Checks a row's types against each other and forgets them, so that rows of all kinds fit in one list. */
export function route<Principal, Params, Query, Body>(
  definition: RouteDefinition<Principal, Params, Query, Body>,
): Route {
  return definition as unknown as Route;
}
