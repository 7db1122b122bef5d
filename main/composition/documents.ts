import { documentAdminRoutes } from '../../api/admin/documentRoutes.ts';
import type { OperatorGuards } from '../../api/admin/guard.ts';
import { documentRoutes } from '../../api/documents/documentRoutes.ts';
import { documentFileRoutes } from '../../api/documents/fileRoutes.ts';
import { documentPolicyRoutes } from '../../api/documents/policyRoutes.ts';
import { documentSigningRoutes } from '../../api/documents/signingRoutes.ts';
import { createRateLimit } from '../../api/bounds/admission.ts';
import type { Route } from '../../api/http/route.ts';
import type { PlatformGuards } from '../../api/platform/guard.ts';
import { createDocumentFiles } from '../../application/document/documentFiles.ts';
import { createDocumentPolicies, type Documents } from '../../application/document/documents.ts';
import type { PlatformRelyingParty } from '../../application/document/platformRelyingParty.ts';
import type { DocumentInspection } from '../../application/document/ports/documentInspection.ts';
import type { FileScanner } from '../../application/document/ports/fileScanner.ts';
import type { ConfiguredRails } from '../../application/document/rails.ts';
import {
  createSettleSigning,
  type SettleSigning,
} from '../../application/document/settleSigning.ts';
import { createSignDocument } from '../../application/document/signDocument.ts';
import type { Timestamping } from '../../application/ports/timestamping.ts';
import { createFileRemoval } from '../../application/reactors/removeUnusedFiles.ts';
import { createSigningSettlement } from '../../application/reactors/settleSignings.ts';
import type { PrepareDocument } from '../../application/stamp/prepareDocument.ts';
import type { StampDocument } from '../../application/stamp/stampDocument.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { publicAddresses } from '../../infrastructure/config/publicAddresses.ts';
import { createClamdScanner } from '../../infrastructure/files/clamdScanner.ts';
import { createNoScanner } from '../../infrastructure/files/noScanner.ts';
import { createTemporarySpool } from '../../infrastructure/files/temporarySpool.ts';
import { withinBound } from '../../infrastructure/outside/access.ts';
import { createDetachedSignatures } from '../../infrastructure/pdf/detachedSignatures.ts';
import type { RevocationEvidence } from '../../infrastructure/pki/revocationEvidence.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { createPostgresUnsettledFiles } from '../../infrastructure/postgres/unsettledFiles.ts';
import { createDocumentPages, createOpenSignings } from '../../projections/documents.ts';
import type { Core } from './core.ts';
import type { DocumentStorage } from './documentStorage.ts';
import type { ServiceModule } from './serviceModule.ts';
import { documentsReadModel } from '../../projections/models/documents.ts';

export interface DocumentServices {
  readonly storage: DocumentStorage;
  readonly guards: { readonly platform: PlatformGuards; readonly operators: OperatorGuards };
  readonly stampDocument: StampDocument;
  readonly prepareDocument: PrepareDocument;
  readonly timestamping: Timestamping;
  readonly evidence: RevocationEvidence;
  readonly inspection: DocumentInspection;
}

/** Documents of organizations: their files, and their signatures by citizens. */
export function composeDocuments(core: Core, services: DocumentServices): ServiceModule {
  const { config, foundation, effects } = core;
  const { clock, randomness, referenceData, eventStore, pool, database, lists } = foundation;
  const { outside, redis, leaderLock } = foundation;
  const { guards } = services;
  const stores = { eventStore, clock, randomness };
  const { documents, store } = services.storage;
  const policies = createDocumentPolicies(stores);
  const pages = failingFast(createDocumentPages({ lists }));
  const unsettled = createPostgresUnsettledFiles(pool);
  const files = createDocumentFiles({
    documents,
    store,
    unsettled,
    clock,
    randomness,
    spool: createTemporarySpool({ access: outside.open('temporaryFiles') }),
    scanner: openFileScanner(config, foundation),
    inspection: services.inspection,
    maxBytes: config.SVC_DOCUMENT_MAX_BYTES,
    quota: core.quotas.files,
  });
  const relyingParty = core.aggregates.platformRelyingParty;
  const configured: ConfiguredRails = async () => ({
    EID: await relyingParty.isActive(),
    DAN: false,
  });
  const settle = composeSettling(core, services, { documents, files });
  const signing = composeSigning(core, services, {
    documents,
    policies,
    files,
    configured,
    relyingParty,
    settle,
  });
  const api = {
    documents,
    policies,
    referenceData,
    clock,
    progress: foundation.progressOf(documentsReadModel),
    randomness,
    quota: core.quotas.documents,
    pages,
    files,
    madeDocuments: core.aggregates.madeDocuments,
    signing,
    configured,
    guards: guards.platform,
    baseUrl: publicAddresses(config).platform,
    rateLimit: createRateLimit({
      name: 'tamga:documents',
      setting: 'SVC_DOCUMENT_REQUESTS_PER_MINUTE',
      redis: redis?.client ?? null,
    }),
    requestsPerMinute: config.SVC_DOCUMENT_REQUESTS_PER_MINUTE,
    maxFileBytes: config.SVC_DOCUMENT_MAX_BYTES,
  };
  // Addresses of policies precede `/documents/:id`.
  const routes = [
    ...documentPolicyRoutes(api),
    ...documentRoutes(api),
    ...documentFileRoutes(api),
    ...documentSigningRoutes(api),
  ];
  const sweeping = { leaderLock, onFailure: effects.onFailure, clock };
  return {
    routes: [
      ...routes,
      ...routes.map(belowApiV1),
      ...documentAdminRoutes({
        guards: guards.operators,
        documents,
        pages,
        referenceData,
        policies,
        configured,
      }),
    ],
    reactors: [
      createSigningSettlement({
        ...sweeping,
        documents,
        settle,
        signings: failingFast(createOpenSignings(database)),
      }),
      createFileRemoval({ ...sweeping, documents, store, unsettled }),
    ],
  };
}

/** The same route at its other address (contract §11). */
function belowApiV1(route: Route): Route {
  return { ...route, name: `${route.name}.v1`, path: `/api/v1${route.path}`, listedUnder: null };
}

function composeSettling(
  { foundation, aggregates, keys }: Core,
  { stampDocument, timestamping, evidence }: DocumentServices,
  own: {
    readonly documents: Documents;
    readonly files: ReturnType<typeof createDocumentFiles>;
  },
): SettleSigning {
  const { referenceData, clock } = foundation;
  return createSettleSigning({
    ...own,
    sessions: aggregates.sessions,
    referenceData,
    clock,
    stampDocument,
    timestamping,
    verifier: keys.signatureVerifier,
    detachedSignatures: createDetachedSignatures({ authority: keys.authority, evidence }),
  });
}

function composeSigning(
  core: Core,
  { prepareDocument }: DocumentServices,
  own: {
    readonly documents: Documents;
    readonly policies: ReturnType<typeof createDocumentPolicies>;
    readonly files: ReturnType<typeof createDocumentFiles>;
    readonly configured: ConfiguredRails;
    readonly relyingParty: PlatformRelyingParty;
    readonly settle: SettleSigning;
  },
) {
  const { config, foundation } = core;
  const { referenceData, clock, randomness } = foundation;
  return createSignDocument({
    ...own,
    referenceData,
    clock,
    randomness,
    prepareDocument,
    startSession: core.startSession,
    pollSession: core.pollSession,
    answerWindowMs: config.SVC_SESSION_WINDOW * 1000,
  });
}

/** Opens the configured virus scanner. */
function openFileScanner(
  config: Config,
  { metrics, outside }: Pick<Core['foundation'], 'metrics' | 'outside'>,
): FileScanner {
  const { SVC_FILE_SCANNER: address } = config;
  if (address === undefined) return createNoScanner();
  const scanner = createClamdScanner({
    address,
    onCalled: (status, seconds) => metrics.externalRequest('fileScanner', 'scan', status, seconds),
  });
  return withinBound(outside.open('fileScanner'), scanner);
}
