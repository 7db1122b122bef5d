import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../application/ports/log.ts';
import { type Host, originOf, reachedAt, readHost } from '../domain/shared/hosts.ts';
import { type AdmissionLimits, createAdmission } from './http/admission.ts';
import { type BoundedServerOptions, createBoundedServer } from './http/boundedServer.ts';
import { addressBlocks, type CallerOptions, createCallerReader, isIn } from './http/caller.ts';
import { createDispatcher } from './http/dispatcher.ts';
import type { Mount } from './http/mount.ts';
import type { ExchangeHost } from './http/exchange.ts';
import { listen } from './http/listen.ts';
import { createPipeline } from './http/pipeline.ts';
import type { RequestAudit } from './http/requestAudit.ts';
import type { Route } from './http/route.ts';
import type { HttpMetrics } from './http/telemetry.ts';
import { type BodyLimits, createUnfinishedBodies } from './http/unfinishedBodies.ts';

export interface ApiServerOptions {
  /** Routes of the server; the first of two that match serves. */
  readonly routes: readonly Route[];
  /** Programs mounted on the same address; see {@link Mount}. */
  readonly mounts?: readonly Mount[];
  readonly log: Log;
  readonly metrics: HttpMetrics;
  readonly limits: AdmissionLimits;
  readonly caller: CallerOptions;
  readonly connections?: BoundedServerOptions['limits'];
  /** Default: 2,000 unfinished bodies in total, 100 per address. */
  readonly bodies?: BodyLimits;
  /** Observer of refusals and disclosures; omitted: none. */
  readonly audit?: RequestAudit;
  /**
   * TLS key and certificates, PEM. Client certificates are requested, never required: the guard
   * decides. With `clientCa` only certificates issued below it count; without, any, because guards
   * pin fingerprints.
   */
  readonly tls?: { readonly key: string; readonly cert: string; readonly clientCa?: string };
  /** Logs every request; failures are always logged. Default true. */
  readonly logRequests?: boolean;
}

export interface ApiServer {
  /**
   * @param port 0: any free one @param variable name of the port's setting, for the error @throws
   * Error with the remedy when it cannot listen
   */
  start(listen: {
    readonly port: number;
    readonly host?: string;
    readonly variable?: string;
  }): Promise<void>;
  /**
   * Stops accepting, releases waiting polls, lets requests in progress end, closes.
   *
   * @param deadlineMs time until open connections are cut; default 10 s
   */
  stop(deadlineMs?: number): Promise<void>;
  /** @throws Error when not started */
  address(): { readonly host: string; readonly port: number; readonly origin: string };
}

const noAudit: RequestAudit = { refused: () => undefined, answering: () => undefined };

const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const anyAddress: Host = { kind: 'ipv4', name: '0.0.0.0' };

const overTls = { 'strict-transport-security': 'max-age=31536000' };

export function createApiServer(options: ApiServerOptions): ApiServer {
  const { routes, log, metrics, tls } = options;
  const host: ExchangeHost = {
    caller: createCallerReader(options.caller, tls?.clientCa !== undefined),
    waiting: new Set(),
    inFlight: 0,
    stopping: false,
  };
  const sentAlways = tls === undefined ? securityHeaders : { ...securityHeaders, ...overTls };
  const { server, connections, close } = createBoundedServer({
    ...(tls && { tls }),
    clientCertificates: tls?.clientCa === undefined ? {} : { ca: tls.clientCa },
    requireHostHeader: false,
    trustProxy: options.caller.trustProxy,
    ...(options.connections && { limits: options.connections }),
  });
  const admission = createAdmission(options.limits, {
    inFlight: () => host.inFlight,
    unreadBytes: () => connections.unreadBytes,
  });
  const proxies = addressBlocks(options.caller.trustProxy);
  const { bodies = { total: 2000, perAddress: 100 } } = options;
  const pipeline = createPipeline({
    host,
    unfinishedBodies: createUnfinishedBodies(bodies, (address) => isIn(proxies, address)),
    admission,
    log,
    metrics,
    securityHeaders: sentAlways,
    logRequests: options.logRequests ?? true,
    audit: options.audit ?? noAudit,
    connections,
  });
  const dispatch = createDispatcher(routes, pipeline, options.mounts);
  const listener: RequestListener = (request, response) => {
    if (connections.accept(request, response)) dispatch(request, response);
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, listener);

  return {
    start: async ({ port, host: address = '0.0.0.0', variable = 'SVC_PORT' }) => {
      await listen(server, { port, host: address, variable });
      admission.start();
    },
    stop: async (deadlineMs = 10_000) => {
      host.stopping = true;
      const closed = close(deadlineMs);
      for (const exchange of [...host.waiting]) exchange.release();
      await closed;
      admission.stop();
    },
    address: () => {
      const address = server.address() as AddressInfo | null;
      if (address === null) throw new Error('The server is not started.');
      const { port } = address;
      const host = reachedAt(readHost(address.address) ?? anyAddress);
      const scheme = tls === undefined ? 'http' : 'https';
      return { host: host.name, port, origin: originOf(scheme, host, port) };
    },
  };
}
