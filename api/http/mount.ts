import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressLimit } from './rateLimit.ts';
import type { RequestContext, Route } from './route.ts';

/** Endpoint of a mounted program. */
export interface MountEndpoint extends Pick<Route, 'refusedAs'> {
  /** Label in logs and metrics, one of few. */
  readonly pattern: string;
  /** Methods it takes; HEAD is named with GET, and OPTIONS where it answers CORS preflights. */
  readonly methods: readonly string[];
}

/**
 * Program mounted on the service's address, with its own request handling. It is counted,
 * rate-limited and refused under load like routes.
 */
export interface Mount {
  /** Path prefixes, without a trailing slash. */
  readonly paths: readonly string[];
  /**
   * Headers of its responses, lower-case names. Set: added to the common headers of the service,
   * which both yield to those it sets itself. Omitted: it sets all itself.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** Rate limit, counted before the program is called. */
  readonly limit?: AddressLimit;
  /**
   * Finds the endpoint at a path; null: none. Other paths and methods are refused without the
   * program (RFC 9110 §15.5.5, §15.5.6). Omitted: it answers everything below its paths itself.
   */
  readonly endpointOf?: (path: string) => MountEndpoint | null;
  /** Handles a request. Must always respond. */
  readonly listener: (
    request: IncomingMessage,
    response: ServerResponse,
    caller: Pick<RequestContext, 'ip' | 'requestId'>,
  ) => void;
}
