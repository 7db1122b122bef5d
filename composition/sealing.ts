import { createRateLimit } from '../api/http/rateLimit.ts';
import { type SealPdfApi, sealPdfRoute } from '../api/seal/pdfRoute.ts';
import { type SealApi, sealRoutes } from '../api/seal/routes.ts';
import { atRoot } from '../api/rp/routes.ts';
import type { PdfStamping } from '../application/ports/pdfStamping.ts';
import type { Timestamping } from '../application/ports/timestamping.ts';
import { type CommandContext, createJournal } from '../application/handleCommand.ts';
import {
  createSealRevokingReactor,
  createSealSettlingReactor,
} from '../application/reactors/settleSealCertificates.ts';
import { issueSealCertificate } from '../application/seal/issueSealCertificate.ts';
import { createSeal } from '../application/seal/seal.ts';
import { createSealCertificates } from '../application/seal/sealCertificates.ts';
import { createSealDigest } from '../application/seal/sealDigest.ts';
import { createSealPdf } from '../application/seal/sealPdf.ts';
import { readSealStanding, sealIdentityOf } from '../application/seal/sealStanding.ts';
import { createSealStandings } from '../application/seal/sealStandings.ts';
import type { SealEvent } from '../domain/seal/events.ts';
import { subjectText } from '../infrastructure/pki/parsedCertificate.ts';
import type { Core } from './core.ts';
import type { ServicePart } from './part.ts';

/** Seals of organizations and the certificates they are made with. */
export function composeSealing(
  core: Core,
  services: { readonly stamping: PdfStamping; readonly timestamping: Timestamping },
) {
  const { config, foundation, aggregates, keys, effects } = core;
  const { clock, randomness, eventStore, facts, redis, log } = foundation;
  const { checkpoints, singleActive } = foundation;
  const stores = { eventStore, clock, randomness };
  const sealCertificates = createSealCertificates(stores);
  const standings = createSealStandings({
    eventStore,
    onFailure: (cause) => log.error({ err: cause }, 'Following the organizations was interrupted.'),
  });
  const { certificates } = aggregates;
  const journal = createJournal<SealEvent>('seal', stores);
  const seal = createSeal({ ...stores, standings, journal });
  const vaults = keys.sealVaults;
  const issuing = {
    ...{ ...stores, certificates, sealCertificates, standings, vaults },
    authority: keys.authority,
    level: config.SVC_SEAL_QSCD ? ('QSCD' as const) : ('QUALIFIED' as const),
    keyPrefix: config.SVC_SEAL_KEY_PREFIX,
  };
  const issueCertificate = (register: string, context: CommandContext) =>
    issueSealCertificate(issuing, register, context);
  const api: SealApi & SealPdfApi = {
    facts,
    sealPdf: createSealPdf(seal, { vaults, ...services }),
    maxPdfBytes: config.SVC_PDF_MAX_BYTES,
    sealDigest: createSealDigest(seal, vaults),
    certificateOf: async (register) =>
      sealIdentityOf(await readSealStanding(eventStore, register), clock.now().toISOString()),
    issueCertificate,
    subjectOf: subjectText,
    rateLimit: createRateLimit({ name: 'tamga:seal', redis: redis?.client ?? null }),
    requestsPerMinute: config.SVC_RP_REQUESTS_PER_MINUTE,
  };
  const routes = [...sealRoutes(api), sealPdfRoute(api)];
  const following = {
    ...{ ...stores, certificates, sealCertificates, checkpoints, singleActive },
    onFailure: effects.onFailure,
  };
  const part: ServicePart = {
    routes: [...routes, ...(config.SVC_RP_ROOT_ROUTES ? atRoot(routes) : [])],
    reactors: [createSealRevokingReactor(following), createSealSettlingReactor(following)],
    start: () => (config.SVC_ROLES.includes('api') ? standings.start() : Promise.resolve()),
    stop: () => standings.stop(),
  };
  return { part, issuing };
}
