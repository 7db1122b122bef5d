import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressLimit } from './rateLimit.ts';
import type { RequestContext } from './route.ts';

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
  /** Maps a path to its label in logs and metrics, one of few; default: the first of its paths. */
  readonly patternOf?: (path: string) => string;
  /** Handles a request. Must always respond. */
  readonly listener: (
    request: IncomingMessage,
    response: ServerResponse,
    caller: Pick<RequestContext, 'ip' | 'requestId'>,
  ) => void;
}
