import { createDeviceRoutes } from '../../api/device/routes.ts';
import type { Route } from '../../api/http/route.ts';
import { caCertificateRoutes } from '../../api/platform/caCertificates.ts';
import { discoveryRoute } from '../../api/platform/discovery.ts';
import { atRoot, relyingPartyRoutes } from '../../api/rp/routes.ts';
import { issueCertificate } from '../../application/certificate/issueCertificate.ts';
import type { PreparedDocuments } from '../../application/stamp/ports/preparedDocuments.ts';
import { identityProofing } from '../../infrastructure/config/identityVerificationSettings.ts';
import { publicAddresses } from '../../infrastructure/config/publicAddresses.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { createNoticeViews } from '../../projections/notices.ts';
import { createMemoryReplayStore } from '../../infrastructure/system.ts';
import { createRedisReplayStore } from '../../infrastructure/redis/redisReplayStore.ts';
import { programVersion } from '../../infrastructure/version.ts';
import type { Core } from './core.ts';
import { composeOwnHistory } from './ownHistory.ts';
import { certificatesReadModel } from '../../projections/models/certificates.ts';
import { devicesReadModel } from '../../projections/models/devices.ts';

/**
 * Routes for relying parties and phones, and discovery of all listed ones.
 *
 * @param others routes of other parts for discovery
 */
export function createSurfaces(
  core: Core,
  preparedDocuments: PreparedDocuments,
  others: readonly Route[],
): readonly Route[] {
  const { config, foundation, aggregates, keys, startSession, pollSession } = core;
  const {
    clock,
    randomness,
    vault,
    referenceData,
    notifications,
    redis,
    sessionViews,
    eventStore,
  } = foundation;
  const { sessionTokens } = foundation;
  const { sessions, certificates } = aggregates;
  const { authority, signatureVerifier } = keys;
  const addresses = publicAddresses(config);
  const ownUses = createMemoryReplayStore();
  const relyingPartyApi = relyingPartyRoutes({
    referenceData,
    sessions,
    clock,
    vault,
    startSession,
    pollSession,
    rateLimit: core.relyingPartyLimit,
    requestsPerMinute: config.SVC_RP_REQUESTS_PER_MINUTE,
    deviceLinkBase: addresses.deviceLink,
    maintenance: config.SVC_MAINTENANCE,
  });
  return [
    ...relyingPartyApi,
    ...(config.SVC_RP_ROOT_ROUTES ? atRoot(relyingPartyApi) : []),
    ...createDeviceRoutes({
      ...aggregates,
      steps: core.sessionSteps,
      preparedDocuments,
      ownHistory: composeOwnHistory(core),
      sessionViews,
      sessionTokens,
      referenceData,
      notifications,
      clock,
      eventStore,
      progress: foundation.progressOf(devicesReadModel, certificatesReadModel),
      signatureVerifier,
      countsSince: foundation.restoreGate.countsSince,
      ...identityProofing(config),
      noticeViews: failingFast(createNoticeViews(foundation.database)),
      issueCertificate: (application, context) =>
        issueCertificate(
          {
            certificates,
            authority,
            clock,
            randomness,
            validityYears: config.SVC_CERTIFICATE_YEARS,
          },
          application,
          context,
        ),
      replayStore:
        redis === null ? ownUses : createRedisReplayStore({ redis: redis.client, ownUses }),
    }),
    ...caCertificateRoutes(authority.issuingCas, authority.certificates),
    discoveryRoute({
      version: programVersion(),
      rpApiBase: addresses.rpApi,
      deviceLinkBase: addresses.deviceLink,
      appScheme: config.SVC_APP_SCHEME,
      schemeName: config.SVC_SCHEME_NAME,
      issuingCertificates: authority.certificates.issuing,
      maxPdfBytes: config.SVC_PDF_MAX_BYTES,
      listed: [...relyingPartyApi, ...others],
    }),
  ];
}
