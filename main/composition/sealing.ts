import { createRateLimit } from '../../api/bounds/admission.ts';
import { type SealApi, type SealPdfApi, sealPdfRoute, sealRoutes } from '../../api/seal/routes.ts';
import { atRoot } from '../../api/rp/routes.ts';
import type { PdfStamping } from '../../application/ports/pdfStamping.ts';
import type { Timestamping } from '../../application/ports/timestamping.ts';
import { type CommandContext, createJournal } from '../../application/handleCommand.ts';
import {
  createSealRevokingReactor,
  createSealSettlingReactor,
} from '../../application/reactors/settleSealCertificates.ts';
import { issueSealCertificate } from '../../application/seal/issueSealCertificate.ts';
import { createSeal, createSealDigest, createSealPdf } from '../../application/seal/seal.ts';
import { createSealCertificates } from '../../application/aggregates.ts';
import { createSealConfirmation } from '../../application/seal/sealConfirmation.ts';
import {
  createSealPreconditionCache,
  createExpectSealsFor,
  readSealPreconditions,
  sealIdentityOf,
} from '../../application/seal/sealPreconditions.ts';
import type { SealEvent } from '../../domain/seal/events.ts';
import { subjectText } from '../../infrastructure/pki/parsedCertificate.ts';
import type { Core } from './core.ts';
import type { ServiceModule } from './serviceModule.ts';

/** Seals of organizations and their certificates. */
export function composeSealing(
  core: Core,
  services: { readonly stamping: PdfStamping; readonly timestamping: Timestamping },
) {
  const { config, foundation, aggregates, keys, effects } = core;
  const { clock, randomness, eventStore, referenceData, redis, outageLog } = foundation;
  const stores = { eventStore, clock, randomness };
  const sealCertificates = createSealCertificates(stores);
  const preconditionCache = createSealPreconditionCache({
    eventStore,
    onFailure: (cause) =>
      outageLog.error({ err: cause }, 'The subscription to organizations was interrupted.'),
  });
  const { certificates } = aggregates;
  const journal = createJournal<SealEvent>('seal', stores);
  const seal = createSeal({ ...stores, preconditionCache, journal });
  const vaults = keys.sealVaults;
  const issuing = {
    ...stores,
    certificates,
    sealCertificates,
    preconditionCache,
    vaults,
    authority: keys.authority,
    level: config.SVC_SEAL_QSCD ? ('QSCD' as const) : ('QUALIFIED' as const),
    keyPrefix: config.SVC_SEAL_KEY_PREFIX,
  };
  const { organizations, representations, sessions } = aggregates;
  const requestCertificate = createSealConfirmation({
    organizations,
    representations,
    sessions,
    referenceData,
    startSession: core.startSession,
    issue: (register, context, confirmedIn) =>
      issueSealCertificate(issuing, register, context, confirmedIn),
    clock,
    randomness,
  });
  const api: SealApi & SealPdfApi = {
    referenceData,
    sealPdf: createSealPdf(seal, {
      vaults,
      ...services,
      madeDocuments: aggregates.madeDocuments,
    }),
    maxPdfBytes: config.SVC_PDF_MAX_BYTES,
    pdfQuota: core.quotas.pdfs,
    sealDigest: createSealDigest(seal, vaults),
    certificateOf: async (register) =>
      sealIdentityOf(await readSealPreconditions(eventStore, register), clock.now().toISOString()),
    expectSealsFor: createExpectSealsFor(organizations),
    requestCertificate,
    subjectOf: subjectText,
    rateLimit: createRateLimit({
      name: 'tamga:seal',
      setting: 'SVC_RP_REQUESTS_PER_MINUTE',
      redis: redis?.client ?? null,
    }),
    requestsPerMinute: config.SVC_RP_REQUESTS_PER_MINUTE,
  };
  const routes = [...sealRoutes(api), sealPdfRoute(api)];
  const following = {
    ...stores,
    certificates,
    sealCertificates,
    ...effects.following,
  };
  const module: ServiceModule = {
    routes: [...routes, ...(config.SVC_RP_ROOT_ROUTES ? atRoot(routes) : [])],
    reactors: [createSealRevokingReactor(following), createSealSettlingReactor(following)],
    start: () => (config.SVC_ROLES.includes('api') ? preconditionCache.start() : Promise.resolve()),
    stop: () => preconditionCache.stop(),
  };
  /** Issuing on the machine itself, where operators are not asked. */
  const issueOnTheMachine = async (register: string, context: CommandContext): Promise<void> => {
    await issueSealCertificate(issuing, register, context);
  };
  return { module, issuing, issueOnTheMachine };
}
