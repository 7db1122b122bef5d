import { healthRoutes } from '../api/platform/health.ts';
import { openApiRoute } from '../api/platform/openApiRoute.ts';
import type { Route } from '../api/http/route.ts';
import type { Mount } from '../api/http/mount.ts';
import type { CertificateAuthority } from '../application/ports/certificateAuthority.ts';
import type { Log } from '../application/ports/log.ts';
import type { DeadLetterList } from '../application/reactors/ports/deadLetters.ts';
import { retryDeadLetters } from '../application/reactors/retryDeadLetters.ts';
import { type ArchiveAdministration } from './composition/archive.ts';
import { type AuditExports } from './composition/audit.ts';
import { type AuditTree } from './composition/auditTree.ts';
import { composeConsoleBeside } from './composition/console.ts';
import { type Core, type CoreHooks, openCore } from './composition/core.ts';
import type { Reactor } from '../application/reactors/reactor.ts';
import type { Forgetting } from '../application/citizen/forgetPerson.ts';
import { type OidcAdministration } from './composition/oidcClients.ts';
import { type OperatorsOnTheMachine } from './composition/operators.ts';
import { type OrganizationAdministration } from './composition/organizations.ts';
import { type ImportRegister } from './composition/registerImport.ts';
import { type RelyingPartyAdministration } from './composition/relyingParties.ts';
import { type RestoredAdministration } from './composition/restored.ts';
import { composeLanding } from './composition/landing.ts';
import { composeDocsSite, composePhonePage, composeServers } from './composition/servers.ts';
import { startPatiently } from './composition/patientStart.ts';
import { proxyCheckRoutes } from './composition/proxyCheck.ts';
import { composeStatusSources } from './composition/statusSources.ts';
import type { ShutdownStack } from './composition/shutdownStack.ts';
import { createSurfaces } from './composition/surfaces.ts';
import { composeSystemStatus } from './composition/systemStatus.ts';
import type { ActivatedCa } from './composition/issuingCas.ts';
import type { IssuingCa } from '../domain/shared/issuingCas.ts';
import type { Config, Role } from '../infrastructure/config/config.ts';
import { openOutsideProduction } from '../infrastructure/config/productionRules.ts';
import { publicAddresses } from '../infrastructure/config/publicAddresses.ts';
import { writeTrustFiles } from '../infrastructure/pki/trustFiles.ts';
import { createLog } from '../infrastructure/telemetry/log.ts';
import { programVersion } from '../infrastructure/version.ts';
import type { CertificateFilter, CertificateListing } from '../projections/certificates.ts';
import type { ParkedRows } from '../projections/parkedRows.ts';
import { readModels } from '../projections/readModels.ts';
import { composeModules } from './composition/modules.ts';
import type { ServiceModule } from './composition/serviceModule.ts';

/** The service, or the part of it selected by its roles. */
export interface Service extends RelyingPartyAdministration {
  /** Opens everything in order of dependency; resolves when the service responds. */
  start(): Promise<void>;
  /** Stops accepting, releases waiting polls, drains, closes. */
  stop(): Promise<void>;
  /** Address of the listener. @throws Error without any role */
  readonly origin: string;
  /** Address of the operator console; null without the role. */
  readonly consoleOrigin: string | null;
  readonly certificates: CertificateAuthority['certificates'];
  /** Routes served by this process. */
  readonly routes: readonly Route[];
  /** @param identifier civil id or registration number */
  forgetPerson(identifier: string): Promise<Forgetting>;
  isForgotten(civilId: string): Promise<boolean>;
  /**
   * @param serial hexadecimal
   * @param reason RFC 5280 CRLReason number; 6 suspends
   */
  revokeCertificate(serial: string, reason: number): Promise<void>;
  reinstateCertificate(serial: string): Promise<void>;
  /** Deactivates the device and revokes its certificates. */
  deactivateDevice(documentNumber: string, reason: number): Promise<void>;
  /** Leaves in the audit that an upgrade to a level was finished; once for each. */
  noteUpgrade(level: number): Promise<void>;
  listCertificates(filter: CertificateFilter): Promise<readonly CertificateListing[]>;
  /** Lets a generation of an issuing CA issue. @throws Error that says what is missing */
  activateIssuingCa(authority: IssuingCa): Promise<ActivatedCa>;
  readonly organizations: OrganizationAdministration;
  /** Issues an organization's seal certificate, which supersedes the previous one. */
  issueSealCertificate(register: string): Promise<void>;
  readonly operators: OperatorsOnTheMachine;
  readonly openIdConnect: OidcAdministration;
  readonly auditExports: AuditExports;
  readonly archive: ArchiveAdministration;
  readonly restored: RestoredAdministration;
  readonly importRegister: ImportRegister;
  /** Log together with a freshly signed tree head that covers it. */
  readonly withSignedExport: AuditTree['withSignedExport'];
  /** Keys of signed tree heads, the current one first. */
  readonly auditKeys: AuditTree['keys']['all'];
  /** Read models by name, for `rebuild`. */
  readonly readModels: readonly string[];
  rebuild(name: string, onProgress: (events: number) => void): Promise<void>;
  readonly listParked: ParkedRows['list'];
  readonly retryParked: ParkedRows['retry'];
  readonly listDeadLetters: DeadLetterList['list'];
  retryDeadLetters(reactor?: string): ReturnType<typeof retryDeadLetters>;
  /** Writes `anchors.pem` and `intermediates.pem`. @returns their paths */
  writeTrustFiles(directory: string): Promise<{ anchorsPem: string; intermediatesPem: string }>;
}

/** Decorators of parts of the service, for measuring and testing. */
export interface ServiceHooks extends CoreHooks {
  /** True for a process that runs one command beside the service: it opens no port, and projects only where nobody does. */
  readonly isCommand?: boolean;
  /** Called with the reason before each wait for what a start needs; default: a line in the log. */
  readonly onWaiting?: (cause: Error) => void;
  /** Decorates the routes before they are served. */
  readonly aroundRoutes?: (routes: readonly Route[]) => readonly Route[];
  /** Decorates what a start registers its steps with, to make one fail. */
  readonly aroundShutdown?: (shutdown: ShutdownStack) => ShutdownStack;
  /** Programs on the service's own address; in the profile `development` only. */
  readonly mounts?: readonly Mount[];
}

/**
 * Composes the service; opens nothing before `start`.
 *
 * @throws Error when a program is mounted in another profile than `development`
 */
export function createService(config: Config, hooks: ServiceHooks = {}): Service {
  if (config.SVC_PROFILE !== 'development' && (hooks.mounts ?? []).length > 0) {
    throw new Error('Programs can be mounted in the profile `development` only.');
  }
  let running: Running | undefined;
  let starting: Promise<Running> | undefined;
  let ending = new AbortController();
  const open = () => {
    if (running === undefined) throw new Error('The service is not started.');
    return running;
  };
  return {
    start: async () => {
      if (running !== undefined) return;
      ending = new AbortController();
      starting = run(config, hooks, ending.signal);
      running = await starting;
    },
    stop: async () => {
      ending.abort();
      // A start in progress ends first, or what it started is stopped.
      await starting?.catch(() => undefined);
      await running?.stop();
      running = undefined;
    },
    get origin() {
      return open().origin;
    },
    get consoleOrigin() {
      return open().consoleOrigin;
    },
    get certificates() {
      return open().certificates;
    },
    get routes() {
      return open().routes;
    },
    get organizations() {
      return open().organizations;
    },
    get operators() {
      return open().operators;
    },
    get openIdConnect() {
      return open().openIdConnect;
    },
    get auditExports() {
      return open().auditExports;
    },
    get archive() {
      return open().archive;
    },
    get restored() {
      return open().restored;
    },
    readModels: readModels.map(({ name }) => name),
    registerRelyingParty: (settings) => open().registerRelyingParty(settings),
    registerByLink: (settings) => open().registerByLink(settings),
    rotateSecret: (id) => open().rotateSecret(id),
    deactivateRelyingParty: (id) => open().deactivateRelyingParty(id),
    issueSealCertificate: (register) => open().issueSealCertificate(register),
    changeSealing: (change, wish) => open().changeSealing(change, wish),
    setRelyingPartyNames: (wish) => open().setRelyingPartyNames(wish),
    listRelyingParties: () => open().listRelyingParties(),
    forgetPerson: (identifier) => open().forgetPerson(identifier),
    isForgotten: (civilId) => open().isForgotten(civilId),
    revokeCertificate: (serial, reason) => open().revokeCertificate(serial, reason),
    reinstateCertificate: (serial) => open().reinstateCertificate(serial),
    deactivateDevice: (documentNumber, reason) => open().deactivateDevice(documentNumber, reason),
    noteUpgrade: (level) => open().noteUpgrade(level),
    listCertificates: (filter) => open().listCertificates(filter),
    activateIssuingCa: (authority) => open().activateIssuingCa(authority),
    withSignedExport: (use) => open().withSignedExport(use),
    auditKeys: () => open().auditKeys(),
    importRegister: (register, path, options) => open().importRegister(register, path, options),
    rebuild: (name, onProgress) => open().rebuild(name, onProgress),
    listParked: () => open().listParked(),
    retryParked: (which) => open().retryParked(which),
    listDeadLetters: () => open().listDeadLetters(),
    retryDeadLetters: (reactor) => open().retryDeadLetters(reactor),
    writeTrustFiles: (directory) => writeTrustFiles(directory, open().certificates),
  };
}

type Running = Omit<Service, 'start' | 'readModels' | 'writeTrustFiles'>;

/** Starts everything. @throws the last failure, after everything started was stopped */
async function run(config: Config, hooks: ServiceHooks, signal: AbortSignal): Promise<Running> {
  const log = createLog({ level: config.SVC_LOG_LEVEL });
  const {
    aroundShutdown = (shutdown: ShutdownStack) => shutdown,
    onWaiting = (cause) => log.warn({ err: cause }, 'The start is waiting for a dependency.'),
  } = hooks;
  try {
    return await startPatiently((shutdown) => compose(config, hooks, aroundShutdown(shutdown)), {
      waitMs: config.SVC_START_WAIT * 1000,
      signal,
      onWaiting,
    });
  } finally {
    log.close();
  }
}

/** Starts the modules; a command without keys only stops them. */
async function startModules(
  modules: readonly ServiceModule[],
  shutdown: ShutdownStack,
  usesKeys: boolean,
): Promise<void> {
  for (const module of modules) {
    shutdown.defer(() => module.stop?.());
    if (usesKeys) await module.start?.();
  }
}

/** Starts what signs; of a backup that is not accepted, the authority alone, whose certificates are there. */
async function startKeys(
  { foundation: { restoreGate, log }, keys, serviceIdentities }: Core,
  shutdown: ShutdownStack,
): Promise<void> {
  await keys.authority.start();
  let work = Promise.resolve();
  shutdown.defer(async () => {
    await work;
    await serviceIdentities.stop();
  });
  if (restoreGate.isOpen()) return serviceIdentities.start();
  // Certificates of the service may have become due since the backup, and nothing is issued yet.
  restoreGate.whenOpen(() => {
    work = serviceIdentities
      .start()
      .catch((cause: unknown) =>
        log.error(
          { err: cause },
          'The keys of the service could not be opened. Restart the process.',
        ),
      );
  });
}

/** Programs of others beside the routes, with the API only, and pages. */
function mountsOf(
  core: Core,
  modules: readonly ServiceModule[],
  hooks: ServiceHooks,
): readonly Mount[] {
  const { config, foundation } = core;
  const isApi = config.SVC_ROLES.includes('api');
  return [
    ...(isApi ? modules.flatMap((module) => module.mounts ?? []) : []),
    ...composePhonePage(config, foundation.log),
    ...composeDocsSite(core),
    ...(hooks.mounts ?? []),
  ];
}

/** Starts the roles of the process; health is served by all. */
async function startRoles(
  { config, foundation: { projector, restoreGate, log }, effects }: Core,
  shutdown: ShutdownStack,
  { reactors, isCommand }: { readonly reactors: readonly Reactor[]; readonly isCommand: boolean },
): Promise<void> {
  if (config.SVC_ROLES.includes('projector')) projector.start(isCommand ? 'command' : 'service');
  shutdown.defer(() => effects.jobs.stop());
  if (!config.SVC_ROLES.includes('worker')) return;
  let work = Promise.resolve();
  let isStopped = false;
  shutdown.defer(async () => {
    isStopped = true;
    await work;
    await Promise.all(reactors.map((reactor) => reactor.stop()));
  });
  const start = async () => {
    if (isStopped) return;
    await effects.jobs.start();
    for (const reactor of reactors) reactor.start();
  };
  if (restoreGate.isOpen()) await start();
  else {
    restoreGate.whenOpen(() => {
      work = start().catch((cause: unknown) =>
        log.error({ err: cause }, 'The worker did not start. Restart the process.'),
      );
    });
  }
}

async function compose(
  config: Config,
  hooks: ServiceHooks,
  shutdown: ShutdownStack,
): Promise<Running> {
  const { aroundRoutes = (routes: readonly Route[]) => routes } = hooks;
  const core = await openCore(config, hooks, shutdown);
  const { foundation, aggregates, keys, effects } = core;
  const { log, metrics, staleness, parkedRows, deadLetters } = foundation;
  await foundation.start(hooks);
  shutdown.defer(() => aggregates.stop());
  await aggregates.start();
  const { isCommand = false, usesKeys = true } = hooks;
  if (usesKeys) await startKeys(core, shutdown);

  const { modules, guards, revocationList, preparedDocuments, verifications, ...composed } =
    composeModules(core, () => server?.address().origin ?? publicAddresses(config).rpApi);
  await startModules(modules, shutdown, usesKeys);
  const reactors = [...effects.reactors, ...modules.flatMap((module) => module.reactors ?? [])];

  const status = composeStatusSources(core, modules);
  const has = (role: Role) => config.SVC_ROLES.includes(role);
  const moduleRoutes = modules.flatMap((module) => module.routes ?? []);
  const surfaces = createSurfaces(core, preparedDocuments, moduleRoutes);
  // Processes without the API serve health, too.
  const version = programVersion();
  const health = healthRoutes({
    version,
    ...status,
    exposeMetrics: () => metrics.expose(),
    isEnding: () => server?.isEnding() === true,
  });
  const system = composeSystemStatus(core, {
    guards,
    ...status,
    revocationList,
    version,
    verifications,
  });
  const description = { title: 'Tamga', version };
  const publicHealth = config.SVC_MANAGEMENT_PORT === undefined ? health : [];
  const mounts = mountsOf(core, modules, hooks);
  const described = [
    ...surfaces,
    ...moduleRoutes,
    ...system,
    ...proxyCheckRoutes(core),
    ...publicHealth,
    ...composeLanding(config, mounts, { version, brand: core.brand }),
  ];
  const routes = has('api') ? [...described, openApiRoute(described, description)] : publicHealth;
  const server = isCommand
    ? null
    : composeServers(core, {
        routes: aroundRoutes(routes),
        mounts,
        health,
        audit: composed.requestAudit,
        onRelyingPartyRequest: composed.onRelyingPartyRequest,
      });
  const address = () => {
    if (server === null) throw new Error('A command serves nothing.');
    return server.address();
  };

  await startRoles(core, shutdown, { reactors, isCommand });
  await staleness.untilKnown(has('projector'));
  await server?.start(shutdown);
  const operatorConsole = composeConsoleBeside(config, log, () => address().origin);
  shutdown.defer(() => operatorConsole.stop());
  await operatorConsole.start();
  if (!isCommand) tellProfile(config, log);
  log.info({ roles: config.SVC_ROLES, profile: config.SVC_PROFILE }, 'Started.');

  return {
    get origin() {
      return address().origin;
    },
    consoleOrigin: operatorConsole.origin,
    certificates: keys.authority.certificates,
    routes,
    ...composed.onTheMachine,
    listParked: () => parkedRows.list(),
    retryParked: (which) => parkedRows.retry(which),
    listDeadLetters: () => deadLetters.list(),
    retryDeadLetters: (reactor) =>
      retryDeadLetters({ deadLetters, reactors, eventStore: foundation.eventStore }, reactor),
    stop: async () => {
      await shutdown.stop();
    },
  };
}

/** Warns of what a profile other than production leaves open. */
function tellProfile(config: Config, log: Pick<Log, 'warn'>): void {
  const open = openOutsideProduction(config);
  if (open.length === 0) return;
  log.warn({ profile: config.SVC_PROFILE, open }, 'Some protections of production are off.');
}
