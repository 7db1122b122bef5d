import { healthRoutes } from './api/platform/health.ts';
import { openApiRoute } from './api/platform/openApiRoute.ts';
import type { Route } from './api/http/route.ts';
import type { Mount } from './api/http/mount.ts';
import { createApiServer } from './api/server.ts';
import type { CertificateAuthority } from './application/ports/certificateAuthority.ts';
import type { EventLog } from './application/ports/eventLog.ts';
import type { RelyingPartyFact } from './application/ports/facts.ts';
import { deactivateRelyingParty } from './application/relyingParty/deactivateRelyingParty.ts';
import {
  type IssuedSecret,
  registerRelyingParty,
} from './application/relyingParty/registerRelyingParty.ts';
import { rotateSecret } from './application/relyingParty/rotateSecret.ts';
import type { Aggregates } from './composition/aggregates.ts';
import { composeApprovals } from './composition/approvals.ts';
import { composeAssistant } from './composition/assistant.ts';
import { composeAssistantProviders } from './composition/assistantProviders.ts';
import { type AuditExports, composeAudit } from './composition/audit.ts';
import { type AuditTree, composeAuditTree } from './composition/auditTree.ts';
import { type CertificateLife, composeCertificateLife } from './composition/certificateLife.ts';
import { commandLine } from './composition/commandLine.ts';
import { composeConsoleBeside } from './composition/console.ts';
import { openCore } from './composition/core.ts';
import { composeDirectory, openDirectorySources } from './composition/directory.ts';
import { composeDocuments } from './composition/documents.ts';
import { composeForgetting, type Forget } from './composition/forgetting.ts';
import type { Foundation } from './composition/foundation.ts';
import { composeIdentityVerification } from './composition/identityVerification.ts';
import { composeKnowledge } from './composition/knowledge.ts';
import { composeOpenIdConnect, type OidcAdministration } from './composition/openIdConnect.ts';
import { composeOpenIdConnectUpkeep } from './composition/openIdConnectUpkeep.ts';
import { composeOidcClients } from './composition/oidcClients.ts';
import { composeOcsp } from './composition/ocsp.ts';
import { composeOperators, type OperatorsOnTheMachine } from './composition/operators.ts';
import {
  composeOrganizations,
  type OrganizationAdministration,
} from './composition/organizations.ts';
import { composeParties } from './composition/parties.ts';
import { composePeople } from './composition/people.ts';
import { composePersonPki } from './composition/personPki.ts';
import { composePhonePage } from './composition/phonePage.ts';
import { composePlatformAccess } from './composition/platformAccess.ts';
import type { ServicePart } from './composition/part.ts';
import { composeRevocationLists } from './composition/revocationLists.ts';
import { composeSealing } from './composition/sealing.ts';
import { composeStamping } from './composition/stamping.ts';
import { createSurfaces } from './composition/surfaces.ts';
import { composeSystemStatus } from './composition/systemStatus.ts';
import { composeTimestamps } from './composition/timestamps.ts';
import { composeVerification } from './composition/verification.ts';
import type { RelyingPartySettings } from './domain/relyingParty/events.ts';
import { parsePersonIdentifier } from './domain/shared/etsi.ts';
import type { Config, Role } from './infrastructure/config.ts';
import { writeTrustFiles } from './infrastructure/pki/trustFiles.ts';
import { unhurried } from './infrastructure/postgres/unhurried.ts';
import { importCivilRegistry } from './infrastructure/registry/importCivilRegistry.ts';
import { createPostgresCivilRegistry } from './infrastructure/registry/postgresCivilRegistry.ts';
import { readTlsFiles } from './infrastructure/tlsFiles.ts';
import { programVersion } from './infrastructure/version.ts';
import type { CertificateFilter, CertificateListing } from './projections/certificates.ts';
import type { Database } from './projections/database.ts';
import { readModels } from './projections/readModels.ts';
import { rebuildReadModel } from './projections/rebuild.ts';

/** The whole program, or the part of it that its roles ask for. */
export interface Service {
  /** Opens everything in order of need; when it resolves the service answers. */
  start(): Promise<void>;
  /** Stops accepting, releases waiting polls, drains, closes. */
  stop(): Promise<void>;
  /** Where it listens. @throws Error without any role */
  readonly origin: string;
  /** Where the operator console listens; null without the role. */
  readonly consoleOrigin: string | null;
  readonly certificates: CertificateAuthority['certificates'];
  /** Every row this process serves. */
  readonly routes: readonly Route[];
  registerRelyingParty(settings: RelyingPartySettings): Promise<IssuedSecret>;
  rotateSecret(relyingPartyId: string): Promise<IssuedSecret>;
  deactivateRelyingParty(relyingPartyId: string): Promise<void>;
  listRelyingParties(): Promise<readonly RelyingPartyFact[]>;
  /** @param identifier civil id or registration number */
  forgetPerson(identifier: string): Promise<void>;
  /**
   * @param serial hexadecimal
   * @param reason RFC 5280 CRLReason number; 6 suspends
   */
  revokeCertificate(serial: string, reason: number): Promise<void>;
  reinstateCertificate(serial: string): Promise<void>;
  /** Ends the phone and revokes its certificates. */
  deactivateDevice(documentNumber: string, reason: number): Promise<void>;
  listCertificates(filter: CertificateFilter): Promise<readonly CertificateListing[]>;
  readonly organizations: OrganizationAdministration;
  readonly operators: OperatorsOnTheMachine;
  readonly openIdConnect: OidcAdministration;
  readonly auditExports: AuditExports;
  importCivilRegistry(csvPath: string): Promise<void>;
  importOrganizationRegistry(csvPath: string): Promise<void>;
  /** The log as a head signed now covers it. */
  readonly withSignedExport: AuditTree['withSignedExport'];
  /** Keys of heads of the audit tree, SubjectPublicKeyInfo, DER. */
  readonly auditKeys: AuditTree['publicKeys'];
  /** Names for `rebuild`. */
  readonly readModels: readonly string[];
  rebuild(name: string, onProgress: (events: number) => void): Promise<void>;
  /** Writes `anchors.pem` and `intermediates.pem`. @returns their paths */
  writeTrustFiles(directory: string): Promise<{ anchorsPem: string; intermediatesPem: string }>;
}

/** What a caller may put around parts of the service, for measuring and testing. */
export interface ServiceHooks {
  /** Sees every append and when it was acknowledged. */
  readonly aroundLog?: (log: EventLog) => EventLog;
  /** Sees the rows before they are served. */
  readonly aroundRoutes?: (routes: readonly Route[]) => readonly Route[];
  /** Programs beside the service on its own address; in the profile `development` only. */
  readonly mounts?: readonly Mount[];
}

/**
 * Composes the service; nothing is opened before `start`.
 *
 * @throws Error when something is to be mounted in another profile than `development`
 */
export function createService(config: Config, hooks: ServiceHooks = {}): Service {
  if (config.SVC_PROFILE !== 'development' && (hooks.mounts ?? []).length > 0) {
    throw new Error('Only a service in the profile `development` has other programs beside it.');
  }
  let running: Running | undefined;
  const open = () => {
    if (running === undefined) throw new Error('The service is not started.');
    return running;
  };
  return {
    start: async () => {
      running ??= await run(config, hooks);
    },
    stop: async () => {
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
    readModels: readModels.map(({ name }) => name),
    registerRelyingParty: (settings) => open().registerRelyingParty(settings),
    rotateSecret: (id) => open().rotateSecret(id),
    deactivateRelyingParty: (id) => open().deactivateRelyingParty(id),
    listRelyingParties: () => open().listRelyingParties(),
    forgetPerson: (identifier) => open().forgetPerson(identifier),
    revokeCertificate: (serial, reason) => open().revokeCertificate(serial, reason),
    reinstateCertificate: (serial) => open().reinstateCertificate(serial),
    deactivateDevice: (documentNumber, reason) => open().deactivateDevice(documentNumber, reason),
    listCertificates: (filter) => open().listCertificates(filter),
    withSignedExport: (use) => open().withSignedExport(use),
    auditKeys: () => open().auditKeys(),
    importCivilRegistry: (csvPath) => open().importCivilRegistry(csvPath),
    importOrganizationRegistry: (csvPath) => open().importOrganizationRegistry(csvPath),
    rebuild: (name, onProgress) => open().rebuild(name, onProgress),
    writeTrustFiles: (directory) => writeTrustFiles(directory, open().certificates),
  };
}

type Running = Omit<Service, 'start' | 'readModels' | 'writeTrustFiles'>;

async function run(config: Config, hooks: ServiceHooks): Promise<Running> {
  const { aroundLog = (log: EventLog) => log, aroundRoutes = (rows: readonly Route[]) => rows } =
    hooks;
  const core = await openCore(config, aroundLog);
  const { foundation, aggregates, keys, serviceIdentities, effects } = core;
  const { log, metrics, projector, eventLog, pool } = foundation;
  await foundation.start();
  await aggregates.start();
  await keys.authority.start();
  await serviceIdentities.start();

  const operators = composeOperators(core);
  const auditTree = composeAuditTree(core, operators.guards);
  const timestamps = composeTimestamps(core);
  const ocsp = composeOcsp(core);
  const revocationLists = composeRevocationLists(core);
  const certificateLife = composeCertificateLife(core);
  const organizations = composeOrganizations(core);
  const evidence = { ocspResponse: ocsp.responder.ocspResponse, crl: revocationLists.crl };
  const { timestamping } = timestamps;
  const stamping = composeStamping(core, { timestamping, evidence });
  const sealing = composeSealing(core, {
    ...{ stamping: stamping.stamping, timestamping },
  });
  const forget = composeForgetting(foundation, aggregates, certificateLife);
  const sources = openDirectorySources(core);
  const openIdConnect = composeOpenIdConnect(core, {
    directory: sources.directory,
    listeningOrigin: () => server.address().origin,
  });
  const approvals = composeApprovals(core, {
    ...{ ...operators, issuing: sealing.issuing, forget },
    oidcClients: openIdConnect.administering,
  });
  const audit = composeAudit(core, operators.guards);
  const providers = composeAssistantProviders(core);
  const knowledge = composeKnowledge(core, {
    ...{ guards: operators.guards, roleOf: operators.roleOf, submit: approvals.submit },
    embeddings: providers.embeddings,
  });
  const platform = composePlatformAccess(core, operators, [openIdConnect.platformUsers]);
  const people = composePeople(core, operators.guards);
  const directory = composeDirectory(core, {
    ...{ guards: platform.guards, people: people.people, sources },
  });
  const identityVerification = composeIdentityVerification(core, operators.guards);
  const parts: readonly ServicePart[] = [
    operators.part,
    auditTree.part,
    timestamps.part,
    ocsp.part,
    revocationLists.part,
    certificateLife.part,
    organizations.part,
    composePersonPki(core),
    people.part,
    directory.part,
    identityVerification.part,
    stamping.part,
    sealing.part,
    composeParties(core, operators.guards, approvals.submit),
    approvals.part,
    operators.administrationPart(approvals.submit),
    composeVerification(core, timestamps.issuers),
    openIdConnect.part,
    openIdConnect.consentLookup(platform.guards.anyUser),
    composeOpenIdConnectUpkeep(core, openIdConnect),
    composeOidcClients(core, { ...openIdConnect, ...operators, submit: approvals.submit }),
    knowledge.part,
    platform.part,
    composeDocuments(core, {
      guards: { platform: platform.guards, operators: operators.guards },
      ...{ ...stamping, timestamping, evidence },
    }),
    composeAssistant(core, { findUser: platform.findUser, providers, knowledge }),
    // Last: `/v3/admin/audit/:eventId` would take the addresses of the parts beside it.
    audit.part,
  ];
  for (const part of parts) await part.start?.();
  const reactors = [...effects.reactors, ...parts.flatMap((part) => part.reactors ?? [])];

  const checks = {
    eventStore: () => eventLog.check(),
    database: () => pool.query('select 1'),
    keyVault: () => keys.keyVault.check(),
    ...effects.checks,
    ...Object.fromEntries(parts.flatMap((part) => Object.entries(part.checks ?? {}))),
  };
  const partners = Object.fromEntries(parts.flatMap((part) => Object.entries(part.partners ?? {})));
  const projections = () =>
    projector.status().map(({ name, state, lagMs }) => ({
      name,
      running: state !== 'FAILED',
      lagSeconds: lagMs / 1000,
    }));
  metrics.watchProjections(projections);

  const has = (role: Role) => config.SVC_ROLES.includes(role);
  const partRoutes = parts.flatMap((part) => part.routes ?? []);
  const surfaces = createSurfaces(core, partRoutes);
  // Processes without the API can be asked how they are, too.
  const version = programVersion();
  const health = healthRoutes({
    ...{ version, checks, partners, projections },
    exposeMetrics: () => metrics.expose(),
  });
  const { guards } = operators;
  const revocationList = revocationLists.newest;
  const system = composeSystemStatus(core, {
    ...{ guards, checks, partners, revocationList, version },
    identityVerification: identityVerification.states,
  });
  const described = [...surfaces, ...partRoutes, ...system, ...health];
  const description = { title: 'Tamga', version };
  const routes = has('api') ? [...described, openApiRoute(described, description)] : health;
  const server = createApiServer({
    routes: aroundRoutes(routes),
    mounts: [
      ...(has('api') ? parts.flatMap((part) => part.mounts ?? []) : []),
      ...composePhonePage(config, log),
      ...(hooks.mounts ?? []),
    ],
    log,
    metrics,
    audit: audit.requestAudit,
    limits: {
      maxInFlight: config.SVC_MAX_IN_FLIGHT,
      maxEventLoopDelayMs: config.SVC_MAX_EVENT_LOOP_DELAY,
    },
    caller: {
      trustProxy: config.SVC_TRUSTED_PROXIES,
      clientCertificateHeader: config.SVC_CLIENT_CERTIFICATE_HEADER ?? null,
    },
    ...readTlsFiles(config),
  });

  // Roles; health is served whichever they are.
  if (has('projector')) projector.start();
  if (has('worker')) {
    await effects.jobs.start();
    for (const reactor of reactors) reactor.start();
  }
  await server.start({ port: config.SVC_PORT, host: config.SVC_HOST });
  const operatorConsole = composeConsoleBeside(config, log, () => server.address().origin);
  await operatorConsole.start();
  log.info({ roles: config.SVC_ROLES, profile: config.SVC_PROFILE }, 'Started.');

  return {
    get origin() {
      return server.address().origin;
    },
    consoleOrigin: operatorConsole.origin,
    certificates: keys.authority.certificates,
    routes,
    organizations: organizations.administration(commandLine),
    withSignedExport: auditTree.withSignedExport,
    auditKeys: auditTree.publicKeys,
    operators: operators.administration(commandLine),
    openIdConnect: openIdConnect.administration(commandLine),
    importOrganizationRegistry: directory.importOrganizationRegistry,
    auditExports: audit.exports,
    ...administration(foundation, aggregates, { certificateLife, forget }),
    stop: async () => {
      await operatorConsole.stop();
      await server.stop();
      if (has('worker')) {
        await Promise.all(reactors.map((reactor) => reactor.stop()));
        await effects.jobs.stop();
      }
      for (const part of parts) await part.stop?.();
      await serviceIdentities.stop();
      await aggregates.stop();
      await foundation.stop();
      await keys.stop();
      await foundation.close();
      log.info({}, 'Stopped.');
      log.close();
    },
  };
}

/** What is asked of the service on the machine itself. */
function administration(
  foundation: Foundation,
  aggregates: Aggregates,
  {
    certificateLife,
    forget,
  }: { readonly certificateLife: CertificateLife; readonly forget: Forget },
) {
  const { clock, randomness, progress, vault, pool, databaseUrl } = foundation;
  const { eventStore, storedFacts } = foundation;
  const registering = {
    relyingParties: aggregates.relyingParties,
    ...{ clock, randomness, progress },
  };
  const civilRegistry = createPostgresCivilRegistry({ pool, vault });
  return {
    registerRelyingParty: (settings: RelyingPartySettings) =>
      registerRelyingParty(registering, settings, commandLine()),
    rotateSecret: (id: string) => rotateSecret(registering, id, commandLine()),
    deactivateRelyingParty: (id: string) => deactivateRelyingParty(registering, id, commandLine()),
    listRelyingParties: () => storedFacts.relyingParties(),
    forgetPerson: (identifier: string) => forget(parsePersonIdentifier(identifier), commandLine()),
    revokeCertificate: (serial: string, reason: number) =>
      certificateLife.revokeCertificate(serial, reason, commandLine()),
    reinstateCertificate: (serial: string) =>
      certificateLife.reinstateCertificate(serial, commandLine()),
    deactivateDevice: (documentNumber: string, reason: number) =>
      certificateLife.deactivateDevice(documentNumber, reason, commandLine()),
    listCertificates: certificateLife.listCertificates,
    importCivilRegistry: async (csvPath: string) => {
      await importCivilRegistry({ csvPath, registry: civilRegistry });
    },
    rebuild: (name: string, onProgress: (events: number) => void) =>
      unhurried<Database>(databaseUrl, async (resources) => {
        const onEvents = ({ events }: { readonly events: number }) => onProgress(events);
        await rebuildReadModel(name, { ...resources, eventStore, vault, onProgress: onEvents });
      }),
  };
}
