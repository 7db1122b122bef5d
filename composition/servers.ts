import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mount } from '../api/http/mount.ts';
import type { RequestAudit } from '../api/http/requestAudit.ts';
import type { Route } from '../api/http/route.ts';
import type { BodyLimits } from '../api/http/unfinishedBodies.ts';
import { createPhonePage } from '../api/phone/page.ts';
import { type ApiServer, createApiServer } from '../api/server.ts';
import type { Log } from '../application/ports/log.ts';
import type { Config } from '../infrastructure/config/config.ts';
import { publicAddresses } from '../infrastructure/config/publicAddresses.ts';
import { readTlsFiles } from '../infrastructure/config/tlsFiles.ts';
import { spareCitizens } from '../infrastructure/registry/demo/spareCitizens.ts';
import type { Core } from './core.ts';
import type { ShutdownStack } from './shutdownStack.ts';

export interface Served {
  readonly routes: readonly Route[];
  readonly mounts: readonly Mount[];
  /** Routes of the management port, if any. */
  readonly health: readonly Route[];
  readonly audit: RequestAudit;
}

/** The public server and, where `SVC_MANAGEMENT_PORT` is set, one for health and metrics. */
export function composeServers(
  { config, foundation: { log, metrics, hasRightClock } }: Core,
  { routes, mounts, health, audit }: Served,
): Pick<ApiServer, 'address'> & { start(shutdown: ShutdownStack): Promise<void> } {
  const {
    SVC_PORT: port,
    SVC_MANAGEMENT_PORT: managementPort,
    SVC_HOST: { name: host },
  } = config;
  const common = {
    log,
    metrics,
    limits: {
      maxInFlight: config.SVC_MAX_IN_FLIGHT,
      maxEventLoopDelayMs: config.SVC_MAX_EVENT_LOOP_DELAY,
      isFit: hasRightClock,
    },
    caller: {
      trustProxy: config.SVC_TRUSTED_PROXIES,
      clientCertificateHeader: config.SVC_CLIENT_CERTIFICATE_HEADER ?? null,
    },
  };
  const server = createApiServer({
    ...common,
    routes,
    mounts,
    audit,
    bodies: bodyLimits(config),
    connections: {
      total: config.SVC_MAX_CONNECTIONS,
      perAddress: config.SVC_MAX_CONNECTIONS_PER_ADDRESS,
    },
    ...readTlsFiles(config),
  });

  async function startManagement(shutdown: ShutdownStack, at: number): Promise<void> {
    const management = createApiServer({ ...common, routes: health });
    shutdown.defer(() => management.stop());
    await management.start({ port: at, host, variable: 'SVC_MANAGEMENT_PORT' });
  }

  return {
    address: () => server.address(),
    start: async (shutdown) => {
      if (managementPort !== undefined) await startManagement(shutdown, managementPort);
      shutdown.defer(() => server.stop());
      await server.start({ port, host, variable: 'SVC_PORT' });
    },
  };
}

/** Limits on bodies that have not arrived, of the API and of the console. */
export function bodyLimits(config: Config): BodyLimits {
  return {
    total: config.SVC_MAX_UNFINISHED_BODIES,
    perAddress: config.SVC_MAX_UNFINISHED_BODIES_PER_ADDRESS,
  };
}

/** The phone in the browser, for demonstrations; not in production. */
export function composePhonePage(config: Config, log: Log): readonly Mount[] {
  if (config.SVC_PROFILE === 'production' || !config.SVC_ROLES.includes('api')) return [];
  const directory = fileURLToPath(new URL('../phone-web', import.meta.url));
  if (!existsSync(join(directory, 'index.html'))) {
    log.warn({}, 'The phone in the browser is not built: `npm run build:pages`.');
    return [];
  }
  return [
    createPhonePage({
      directory,
      deviceLinkBase: publicAddresses(config).deviceLink,
      citizens: config.SVC_PROFILE === 'development' ? spareCitizens : [],
    }),
  ];
}
