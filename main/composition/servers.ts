import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mount } from '../../api/http/mount.ts';
import type { RequestAudit } from '../../api/http/requestAudit.ts';
import type { Route } from '../../api/http/route.ts';
import type { HttpMetrics } from '../../api/http/telemetry.ts';
import type { BodyLimits } from '../../api/bounds/connections.ts';
import { createDocsSite, type DemoCaller } from '../../api/docs/site.ts';
import { createPhonePage } from '../../api/phone/page.ts';
import { type ApiServer, type ApiServerOptions, createApiServer } from '../../api/server.ts';
import type { Log } from '../../application/ports/log.ts';
import type { RelyingPartyData } from '../../application/ports/referenceData.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { publicAddresses } from '../../infrastructure/config/publicAddresses.ts';
import { readTlsFiles } from '../../infrastructure/config/tlsFiles.ts';
import { spareCitizens } from '../../infrastructure/registry/demo/spareCitizens.ts';
import type { Core } from './core.ts';
import type { ShutdownStack } from './shutdownStack.ts';

export interface Served {
  readonly routes: readonly Route[];
  readonly mounts: readonly Mount[];
  /** Routes of the management port, if any. */
  readonly health: readonly Route[];
  readonly audit: RequestAudit;
  readonly onRelyingPartyRequest: NonNullable<ApiServerOptions['onRelyingPartyRequest']>;
}

/** Time in which balancers notice that a process ends: they look once a second or more often. */
const DRAIN_SECONDS = 3;

/** The public server and, where `SVC_MANAGEMENT_PORT` is set, one for health and metrics. */
export function composeServers(
  { config, foundation: { outageLog, metrics, hasRightClock, restoreGate } }: Core,
  { routes, mounts, health, audit, onRelyingPartyRequest }: Served,
): Pick<ApiServer, 'address' | 'isEnding'> & {
  start(shutdown: ShutdownStack): Promise<void>;
} {
  const {
    SVC_PORT: port,
    SVC_HOST: { name: host },
  } = config;
  const telemetry = {
    log: outageLog,
    metrics,
    isFit: hasRightClock,
    // Once open it stays so: nothing is asked then.
    ...(!restoreGate.isOpen() && {
      isOpen: restoreGate.isOpen,
      isSettled: restoreGate.isSettled,
    }),
  };
  const management = composeManagement(config, health, telemetry);
  const server = createApiServer({
    ...commonOptions(config, telemetry),
    routes,
    mounts,
    audit,
    onRelyingPartyRequest,
    bodies: bodyLimits(config),
    connections: {
      total: config.SVC_MAX_CONNECTIONS,
      perAddress: config.SVC_MAX_CONNECTIONS_PER_ADDRESS,
    },
    ...readTlsFiles(config),
  });

  return {
    address: () => server.address(),
    isEnding: () => server.isEnding(),
    start: async (shutdown) => {
      shutdown.defer(() => management.stop());
      await management.start();
      shutdown.defer(() => server.stop());
      await server.start({ port, host, variable: 'SVC_PORT' });
      const {
        SVC_DRAIN_SECONDS: seconds = config.SVC_PROFILE === 'production' ? DRAIN_SECONDS : 0,
      } = config;
      shutdown.defer(() => server.drain(seconds * 1000));
    },
  };
}

interface Telemetry {
  readonly log: Log;
  readonly metrics: HttpMetrics;
  /** False: nothing but health is answered. */
  readonly isFit?: () => boolean;
  /** False: only what says so itself is answered. */
  readonly isOpen?: () => boolean;
  /** True: operators may accept what was restored. */
  readonly isSettled?: () => boolean;
}

function commonOptions(config: Config, { log, metrics, isFit, isOpen, isSettled }: Telemetry) {
  return {
    log,
    metrics,
    limits: {
      maxInFlight: config.SVC_MAX_IN_FLIGHT,
      maxEventLoopDelayMs: config.SVC_MAX_EVENT_LOOP_DELAY,
      ...(isFit && { isFit }),
      ...(isOpen && { isOpen }),
      ...(isSettled && { isSettled }),
    },
    caller: {
      trustProxy: config.SVC_TRUSTED_PROXIES,
      clientCertificateHeader: config.SVC_CLIENT_CERTIFICATE_HEADER ?? null,
    },
  };
}

/** The server for health and metrics alone; without `SVC_MANAGEMENT_PORT`, none. */
export function composeManagement(
  config: Config,
  health: readonly Route[],
  telemetry: Telemetry,
): { start(): Promise<void>; stop(): Promise<void> } {
  const { SVC_MANAGEMENT_PORT: port, SVC_HOST: host } = config;
  if (port === undefined) return { start: () => Promise.resolve(), stop: () => Promise.resolve() };
  const server = createApiServer({ ...commonOptions(config, telemetry), routes: health });
  return {
    start: () => server.start({ port, host: host.name, variable: 'SVC_MANAGEMENT_PORT' }),
    stop: () => server.stop(),
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
  const directory = fileURLToPath(new URL('../../phone-web', import.meta.url));
  if (!existsSync(join(directory, 'index.html'))) {
    log.warn({}, 'The phone in the browser is not built. Run `npm run build:pages`.');
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

/** Name of the demo's relying party; later ones have a number behind it. */
export const demoName = 'Tamga Demo';

/** The relying party of the demo: of several the last, since another is registered where the last is of no use. */
function demoCallerIn(parties: readonly RelyingPartyData[]): DemoCaller | null {
  const number = ({ name }: RelyingPartyData) => Number(name.slice(demoName.length) || 1);
  const last = parties
    .filter(({ active, name }) => active && name.startsWith(demoName))
    .filter((party) => Number.isInteger(number(party)))
    .toSorted((one, other) => number(one) - number(other))
    .at(-1);
  if (last === undefined) return null;
  return { relyingPartyUUID: last.relyingPartyId, relyingPartyName: last.name };
}

/** The documentation at `/docs`, to which problems link. */
export function composeDocsSite({ config, foundation }: Core): readonly Mount[] {
  const { log, storedReferenceData } = foundation;
  if (!config.SVC_ROLES.includes('api')) return [];
  const directory = fileURLToPath(new URL('../../docs-site', import.meta.url));
  if (existsSync(join(directory, '404.html'))) {
    const demoCaller = async () => demoCallerIn(await storedReferenceData.relyingParties());
    return [createDocsSite(directory, config.SVC_PROFILE === 'development' ? demoCaller : null)];
  }
  log.warn({}, 'The documentation is not built. Run `npm run build:docs`.');
  return [];
}
