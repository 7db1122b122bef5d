import { documentAdminRoutes } from '../api/admin/documentRoutes.ts';
import type { OperatorGuards } from '../api/admin/guard.ts';
import { documentRoutes } from '../api/documents/documentRoutes.ts';
import { documentFileRoutes } from '../api/documents/fileRoutes.ts';
import { documentPolicyRoutes } from '../api/documents/policyRoutes.ts';
import { documentSigningRoutes } from '../api/documents/signingRoutes.ts';
import { createRateLimit } from '../api/http/rateLimit.ts';
import type { Route } from '../api/http/route.ts';
import type { PlatformGuards } from '../api/platform/guard.ts';
import { createDocumentFiles } from '../application/document/documentFiles.ts';
import {
  createDocumentPolicies,
  createDocuments,
  type Documents,
} from '../application/document/documents.ts';
import {
  createPlatformRelyingParty,
  type PlatformRelyingParty,
} from '../application/document/platformRelyingParty.ts';
import type { ConfiguredRails } from '../application/document/rails.ts';
import { createSettleSigning, type SettleSigning } from '../application/document/settleSigning.ts';
import { createSignDocument } from '../application/document/signDocument.ts';
import type { RevocationEvidence } from '../application/ports/revocationEvidence.ts';
import type { Timestamping } from '../application/ports/timestamping.ts';
import { createFileRemoval } from '../application/reactors/removeUnusedFiles.ts';
import { createSigningSettlement } from '../application/reactors/settleSignings.ts';
import { createPollSession } from '../application/session/pollSession.ts';
import type { PrepareDocument } from '../application/stamp/prepareDocument.ts';
import type { StampDocument } from '../application/stamp/stampDocument.ts';
import { createTemporarySpool } from '../infrastructure/files/temporarySpool.ts';
import { createDetachedSignatures } from '../infrastructure/pdf/detachedSignatures.ts';
import { createSignatureVerifier } from '../infrastructure/pki/signatureVerifier.ts';
import { failingFast } from '../infrastructure/postgres/availability.ts';
import { createPostgresUnsettledFiles } from '../infrastructure/postgres/unsettledFiles.ts';
import { publicAddresses } from '../infrastructure/publicAddresses.ts';
import { createDocumentPages, createOpenSignings } from '../projections/documents.ts';
import { createLists } from '../projections/lists.ts';
import type { Core } from './core.ts';
import { openFileScanner, openFileStore } from './fileStore.ts';
import type { ServicePart } from './part.ts';
import { composeStartSession } from './startSession.ts';

export interface DocumentServices {
  readonly guards: { readonly platform: PlatformGuards; readonly operators: OperatorGuards };
  readonly stampDocument: StampDocument;
  readonly prepareDocument: PrepareDocument;
  readonly timestamping: Timestamping;
  readonly evidence: RevocationEvidence;
}

/** Documents of organizations: their files, and their signatures by citizens. */
export function composeDocuments(core: Core, services: DocumentServices): ServicePart {
  const { config, foundation, effects } = core;
  const { clock, randomness, facts, eventStore, pool, database } = foundation;
  const { metrics, redis, progress, singleActive } = foundation;
  const { guards } = services;
  const stores = { eventStore, clock, randomness };
  const documents = createDocuments(stores);
  const policies = createDocumentPolicies(stores);
  const lists = createLists({ database });
  const pages = failingFast(createDocumentPages({ lists }));
  const unsettled = createPostgresUnsettledFiles(pool);
  const store = openFileStore(config, metrics);
  const files = createDocumentFiles({
    ...{ documents, store, unsettled, clock, randomness },
    spool: createTemporarySpool(),
    scanner: openFileScanner(config, metrics),
    maxBytes: config.SVC_DOCUMENT_MAX_BYTES,
  });
  const relyingParty = createPlatformRelyingParty({
    relyingParties: core.aggregates.relyingParties,
    ...{ facts, clock, randomness, name: config.SVC_DOCUMENT_SIGNING_NAME },
  });
  const configured: ConfiguredRails = async () => ({
    EID: await relyingParty.isActive(),
    DAN: false,
  });
  const settle = composeSettling(core, services, { documents, files });
  const signing = composeSigning(core, services, {
    ...{ documents, policies, files, configured, relyingParty, settle },
  });
  const api = {
    ...{ documents, policies, facts, clock, progress, randomness, pages, files, signing },
    ...{ configured, guards: guards.platform, baseUrl: publicAddresses(config).platform },
    rateLimit: createRateLimit({ name: 'tamga:documents', redis: redis?.client ?? null }),
    requestsPerMinute: config.SVC_DOCUMENT_REQUESTS_PER_MINUTE,
    maxFileBytes: config.SVC_DOCUMENT_MAX_BYTES,
  };
  // The addresses of policies before `/documents/:id`.
  const routes = [
    ...documentPolicyRoutes(api),
    ...documentRoutes(api),
    ...documentFileRoutes(api),
    ...documentSigningRoutes(api),
  ];
  const sweeping = { singleActive, onFailure: effects.onFailure, clock };
  return {
    routes: [
      ...routes,
      ...routes.map(belowApiV1),
      ...documentAdminRoutes({
        ...{ guards: guards.operators, documents, pages, facts, policies, configured },
      }),
    ],
    reactors: [
      createSigningSettlement({
        ...{ ...sweeping, documents, settle },
        signings: failingFast(createOpenSignings(database)),
      }),
      createFileRemoval({ ...sweeping, documents, store, unsettled }),
    ],
    stop: () => lists.stop(),
  };
}

/** The same row at its other address (contract §11). */
function belowApiV1(row: Route): Route {
  return { ...row, name: `${row.name}.v1`, path: `/api/v1${row.path}`, listedUnder: null };
}

function composeSettling(
  { foundation, aggregates, keys }: Core,
  { stampDocument, timestamping, evidence }: DocumentServices,
  own: {
    readonly documents: Documents;
    readonly files: ReturnType<typeof createDocumentFiles>;
  },
): SettleSigning {
  const { facts, clock } = foundation;
  return createSettleSigning({
    ...{ ...own, sessions: aggregates.sessions, facts, clock, stampDocument, timestamping },
    verifier: createSignatureVerifier({ ecdsaDigests: keys.ecdsaDigests }),
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
  const { config, foundation, aggregates } = core;
  const { facts, clock, randomness, wake } = foundation;
  const { sessions, standingOf } = aggregates;
  return createSignDocument({
    ...{ ...own, facts, clock, randomness, prepareDocument },
    startSession: composeStartSession(core),
    pollSession: createPollSession({
      ...{ sessions, wake, facts, clock, standingOf },
      soleProcess: config.SVC_SOLE_PROCESS,
      isFollowing: aggregates.isFollowingSessions,
    }),
    answerWindowMs: config.SVC_SESSION_WINDOW * 1000,
  });
}
