import type { AddressInfo } from 'node:net';
import { readConsolePages } from '../../api/console/pages.ts';
import { createConsoleProxy } from '../../api/console/proxy.ts';
import { createBoundedServer } from '../../api/bounds/boundedServer.ts';
import { addressBlocks, createCallerReader, isIn } from '../../api/bounds/caller.ts';
import { listen } from '../../api/bounds/listen.ts';
import { createUnfinishedBodies } from '../../api/bounds/connections.ts';
import { healthRoutes } from '../../api/platform/health.ts';
import { NotReady } from '../../application/ports/faults.ts';
import type { Log } from '../../application/ports/log.ts';
import { originOf, reachedAt } from '../../domain/shared/hosts.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { createLog } from '../../infrastructure/telemetry/log.ts';
import { createMetrics } from '../../infrastructure/telemetry/metrics.ts';
import { programVersion } from '../../infrastructure/version.ts';
import { readTlsFiles } from '../../infrastructure/config/tlsFiles.ts';
import { composeBrand } from './brand.ts';
import { bodyLimits, composeManagement } from './servers.ts';

/** The operator console: a server of its own, in front of the operator API of this or another process. */
export interface Console {
  start(): Promise<void>;
  /** Completes responses in progress for a while, then closes their connections. */
  stop(): Promise<void>;
  /** Null when disabled. @throws Error when not started */
  readonly origin: string | null;
}

/** Used when the console is disabled. */
const none: Console = {
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
  origin: null,
};

/** The console beside the rest of the program, in the role `console`. @param ownOrigin of the API in this process */
export function composeConsoleBeside(config: Config, log: Log, ownOrigin: () => string): Console {
  return config.SVC_ROLES.includes('console') ? composeConsole(config, log, ownOrigin) : none;
}

const STOP_MS = 5000;

/** @param ownOrigin of the API in this process; null: the API is elsewhere */
function composeConsole(config: Config, log: Log, ownOrigin: (() => string) | null): Console {
  const { SVC_CONSOLE_HOSTS: named, SVC_CONSOLE_UPSTREAM: elsewhere } = config;
  const { tls } = readTlsFiles(config);
  const caller = createCallerReader(
    { trustProxy: config.SVC_TRUSTED_PROXIES, clientCertificateHeader: null },
    false,
  );
  const proxy = createConsoleProxy({
    upstream: () => elsewhere ?? ownOrigin?.() ?? '',
    isOwnUpstream: elsewhere === undefined,
    hosts: () =>
      new Set(named ?? ['localhost', '127.0.0.1', '[::1]'].map((name) => `${name}:${port()}`)),
    pages: readConsolePages(composeBrand(config)),
    secureCookies: config.SVC_PROFILE !== 'development',
    ip: (request) => caller.ip(request),
    timeoutMs: config.SVC_CONSOLE_TIMEOUT * 1000,
    log,
  });
  const { server, connections, close } = createBoundedServer({
    ...(tls && { tls }),
    trustProxy: config.SVC_TRUSTED_PROXIES,
    limits: {
      total: config.SVC_MAX_CONNECTIONS,
      perAddress: config.SVC_MAX_CONNECTIONS_PER_ADDRESS,
    },
  });
  const proxies = addressBlocks(config.SVC_TRUSTED_PROXIES);
  const unfinishedBodies = createUnfinishedBodies(bodyLimits(config), (address) =>
    isIn(proxies, address),
  );
  server.on('request', (request, response) => {
    if (!connections.accept(request, response)) return;
    unfinishedBodies.track(request, response, { ip: caller.ip(request) }, (error) =>
      proxy.refuse(response, error),
    );
    proxy.listener(request, response);
  });
  const port = (): number => {
    const address = server.address() as AddressInfo | null;
    if (address === null) throw new Error('The console is not started.');
    return address.port;
  };
  return {
    start: () =>
      listen(server, {
        port: config.SVC_CONSOLE_PORT,
        host: config.SVC_HOST.name,
        variable: 'SVC_CONSOLE_PORT',
      }),
    stop: async () => {
      await close(STOP_MS);
      proxy.stop();
    },
    get origin() {
      return originOf(tls === undefined ? 'http' : 'https', reachedAt(config.SVC_HOST), port());
    },
  };
}

/** The console as a process of its own, which tells its health as every other does. */
export function createConsoleService(config: Config): Console {
  const log = createLog({ level: config.SVC_LOG_LEVEL });
  const metrics = createMetrics();
  const operatorConsole = composeConsole(config, log, null);
  const management = composeManagement(
    config,
    healthRoutes({
      version: programVersion(),
      checks: { operatorApi: () => expectAnswer(config.SVC_CONSOLE_UPSTREAM ?? '') },
      projections: () => [],
      exposeMetrics: () => metrics.expose(),
    }),
    { log, metrics },
  );
  return {
    start: async () => {
      await management.start();
      await operatorConsole.start();
      log.info({ roles: config.SVC_ROLES, profile: config.SVC_PROFILE }, 'Started.');
    },
    stop: async () => {
      await operatorConsole.stop();
      await management.stop();
      metrics.stop();
      log.info({}, 'Stopped.');
      log.close();
    },
    get origin() {
      return operatorConsole.origin;
    },
  };
}

/** @throws NotReady when the operator API does not answer, or fails; 404 where it has health on a port of its own */
async function expectAnswer(upstream: string): Promise<void> {
  const answer = await fetch(new URL('/livez', upstream)).catch(() => null);
  await answer?.body?.cancel();
  if (answer !== null && answer.status < 500) return;
  throw new NotReady('The operator API (SVC_CONSOLE_UPSTREAM) does not answer.');
}
