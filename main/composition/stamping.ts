import { createRateLimit } from '../../api/bounds/admission.ts';
import { atRoot } from '../../api/rp/routes.ts';
import { stampRoutes } from '../../api/rp/stampRoutes.ts';
import type { DocumentInspection } from '../../application/document/ports/documentInspection.ts';
import type { PdfStamping } from '../../application/ports/pdfStamping.ts';
import type { RevocationEvidence } from '../../infrastructure/pki/revocationEvidence.ts';
import type { Timestamping } from '../../application/ports/timestamping.ts';
import {
  createPrepareDocument,
  type PrepareDocument,
} from '../../application/stamp/prepareDocument.ts';
import type { PreparedDocuments } from '../../application/stamp/ports/preparedDocuments.ts';
import { createStampDocument, type StampDocument } from '../../application/stamp/stampDocument.ts';
import { createStamps } from '../../application/aggregates.ts';
import { createDocumentInspection } from '../../infrastructure/pdf/documentInspection.ts';
import { createPdfPool } from '../../infrastructure/pdf/pdfPool.ts';
import { createPdfStamping } from '../../infrastructure/pdf/pdfStamping.ts';
import { createPostgresPreparedDocuments } from '../../infrastructure/postgres/preparedDocuments.ts';
import { publicAddresses } from '../../infrastructure/config/publicAddresses.ts';
import type { Core } from './core.ts';
import type { ServiceModule } from './serviceModule.ts';

/** Quota of prepared documents of a relying party, in documents of the largest size. */
const PREPARED_DOCUMENTS = 40;
const SWEEP_MS = 60_000;

/** Parts of stamping used by other features. */
export interface Stamping {
  readonly stamping: PdfStamping;
  readonly stampDocument: StampDocument;
  readonly prepareDocument: PrepareDocument;
  readonly preparedDocuments: PreparedDocuments;
  readonly inspection: DocumentInspection;
  readonly module: ServiceModule;
}

/** Stamped PDFs, and documents prepared for the citizen's own signature. */
export function composeStamping(
  { config, foundation, aggregates, keys, serviceIdentities, quotas }: Core,
  services: { readonly timestamping: Timestamping; readonly evidence: RevocationEvidence },
): Stamping {
  const { clock, randomness, referenceData, vault, pool, redis, eventStore, log } = foundation;
  const { timestamping, evidence } = services;
  const workers = createPdfPool({
    ...(config.SVC_PDF_THREADS === undefined ? {} : { threads: config.SVC_PDF_THREADS }),
    onFailure: (cause) => log.error({ err: cause }, 'A thread for PDF work ended unexpectedly.'),
  });
  const stamping = createPdfStamping({
    pool: workers,
    vault: keys.keyVault,
    authority: keys.authority,
    clock,
    identities: serviceIdentities,
    timestamping,
    evidence,
    operator: config.SVC_PKI_OPERATOR_NAME,
    verifyBase: publicAddresses(config).verify,
  });
  const preparedDocuments = createPostgresPreparedDocuments({
    pool,
    vault,
    maxBytesPerRelyingParty: PREPARED_DOCUMENTS * config.SVC_PDF_MAX_BYTES,
  });
  const stampDocument = createStampDocument({
    sessions: aggregates.sessions,
    stamps: createStamps({ eventStore, clock, randomness }),
    madeDocuments: aggregates.madeDocuments,
    referenceData,
    stamping,
    preparedDocuments,
    timestamping,
    clock,
  });
  const prepareDocument = createPrepareDocument({
    referenceData,
    stamping,
    preparedDocuments,
    clock,
    randomness,
  });
  const routes = stampRoutes({
    referenceData,
    stampDocument,
    prepareDocument,
    pdfQuota: quotas.pdfs,
    rateLimit: createRateLimit({
      name: 'tamga:pdf',
      setting: 'SVC_RP_REQUESTS_PER_MINUTE',
      redis: redis?.client ?? null,
    }),
    requestsPerMinute: config.SVC_RP_REQUESTS_PER_MINUTE,
    maxPdfBytes: config.SVC_PDF_MAX_BYTES,
  });
  let sweeping: NodeJS.Timeout | undefined;
  const module: ServiceModule = {
    routes: [...routes, ...(config.SVC_RP_ROOT_ROUTES ? atRoot(routes) : [])],
    start: () => {
      const sweep = () =>
        preparedDocuments
          .removeExpired(clock.now())
          .catch((err: unknown) => log.warn({ err }, 'Expired documents could not be removed.'));
      sweeping = setInterval(() => void sweep(), SWEEP_MS).unref();
      return Promise.resolve();
    },
    stop: async () => {
      clearInterval(sweeping);
      await workers.stop();
    },
  };
  const inspection = createDocumentInspection(workers);
  return { stamping, stampDocument, prepareDocument, preparedDocuments, inspection, module };
}
