import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressLimit } from './rateLimit.ts';
import type { RequestContext } from './route.ts';

/**
 * A program of its own on the service's address. It is counted, limited and refused under load like the rows; what it
 * answers is its own affair.
 */
export interface Mount {
  /** Without a slash at the end; everything below them is its, too. */
  readonly paths: readonly string[];
  /**
   * Lower-case names. Set, its answers carry what every answer of the service does, and these over it; what it sets itself
   * replaces both. Omitted: it sets all by itself.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** Counted before it is handed anything. */
  readonly limit?: AddressLimit;
  /** The pattern its requests are logged and counted under, one of few; default: the first of its paths. */
  readonly patternOf?: (path: string) => string;
  /** Must answer, whatever happens. */
  readonly listener: (
    request: IncomingMessage,
    response: ServerResponse,
    caller: Pick<RequestContext, 'ip' | 'requestId'>,
  ) => void;
}
