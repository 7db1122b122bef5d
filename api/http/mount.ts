import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../../domain/shared/refusal.ts';
import { type Admission, admit, countAddress, countAttempts } from '../bounds/admission.ts';
import { leaveToHandler } from './body.ts';
import type { ErrorStep, Step } from './exchange.ts';
import { allowOnly } from './refusal.ts';
import type { AddressLimit, RequestContext, Route } from './route.ts';
import { callerGone, unmatched } from './telemetry.ts';

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
    caller: Pick<RequestContext, 'ip' | 'requestId'> & {
      /** Reads the client certificate, DER; null: none. */
      readonly certificate: () => Uint8Array | null;
    },
  ) => void;
}

/** Makes a mounted program's steps, in the order they run; behind {@link arrive}. */
export function mountSteps(mount: Mount, admission: Admission): readonly (Step | ErrorStep)[] {
  const steps = [
    findEndpoint(mount),
    admit(admission, {}),
    countAttempts,
    leaveToHandler,
    mount.limit !== undefined && countAddress(mount.limit),
    handOver(mount),
  ];
  return steps.filter((step) => step !== false);
}

/** Step that refuses paths and methods which the program does not have, and answers `OPTIONS` for it. */
function findEndpoint({ paths, endpointOf }: Mount): Step {
  return ({ method, headers, originalUrl }, { locals: { exchange } }, next) => {
    const [path = ''] = originalUrl.split('?', 1);
    const endpoint = endpointOf?.(path);
    if (endpoint === null) throw new Refusal('NOT_FOUND');
    // OPTIONS of a program is for CORS preflights alone.
    const isAnsweredHere = method === 'OPTIONS' && !('access-control-request-method' in headers);
    if (endpoint === undefined || (endpoint.methods.includes(method) && !isAnsweredHere)) {
      const { pattern = paths[0] ?? path, refusedAs } = endpoint ?? {};
      exchange.served = { path: pattern, refusedAs };
      next();
      return;
    }
    exchange.served = { path: unmatched, refusedAs: endpoint.refusedAs };
    allowOnly(exchange, endpoint.methods);
  };
}

/** Step that passes the request to the program, at the path where it was sent. */
function handOver({ headers, listener }: Mount): Step {
  return (request, response) => {
    const { exchange } = response.locals;
    const { host, ip, requestId } = exchange;
    host.connections.writing(response);
    response.once('close', () =>
      exchange.end(response.writableFinished ? response.statusCode : callerGone),
    );
    const common = headers === undefined ? {} : { ...host.securityHeaders, ...headers };
    for (const [name, value] of Object.entries(common)) response.setHeader(name, value);
    response.setHeader('x-request-id', requestId);
    response.setHeader('x-trace-id', exchange.traceId);
    if (host.ending) response.setHeader('connection', 'close');
    request.url = request.originalUrl;
    request.baseUrl = '';
    const certificate = () => host.caller.wholeCertificate(exchange);
    listener(request, response, { ip, requestId, certificate });
  };
}
