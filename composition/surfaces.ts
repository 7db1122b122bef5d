import { createDeviceRoutes } from '../api/device/routes.ts';
import { createRateLimit } from '../api/http/rateLimit.ts';
import type { Route } from '../api/http/route.ts';
import { caCertificateRoutes } from '../api/platform/caCertificates.ts';
import { discoveryRoute } from '../api/platform/discovery.ts';
import { atRoot, relyingPartyRoutes } from '../api/rp/routes.ts';
import { issueCertificate } from '../application/certificate/issueCertificate.ts';
import { createSignatureVerifier } from '../infrastructure/pki/signatureVerifier.ts';
import { publicAddresses } from '../infrastructure/publicAddresses.ts';
import { createMemoryReplayStore } from '../infrastructure/replay/memoryReplayStore.ts';
import { createRedisReplayStore } from '../infrastructure/redis/redisReplayStore.ts';
import { programVersion } from '../infrastructure/version.ts';
import type { Core } from './core.ts';
import { composePollSession } from './pollSession.ts';
import { composeStartSession } from './startSession.ts';

/**
 * The rows relying parties and phones call, and discovery over all that is listed.
 *
 * @param others rows of the other parts of the service that discovery lists too
 */
export function createSurfaces(core: Core, others: readonly Route[]): readonly Route[] {
  const { config, foundation, aggregates, keys } = core;
  const { clock, randomness, vault, facts, wake, redis, sessionViews, eventStore } = foundation;
  const { progress, sessionTokens } = foundation;
  const { sessions, certificates } = aggregates;
  const { authority, ecdsaDigests } = keys;
  const addresses = publicAddresses(config);
  const ownUses = createMemoryReplayStore();
  const relyingPartyApi = relyingPartyRoutes({
    ...{ facts, sessions, clock, vault },
    startSession: composeStartSession(core),
    pollSession: composePollSession(core),
    rateLimit: createRateLimit({ name: 'tamga:rp', redis: redis?.client ?? null }),
    requestsPerMinute: config.SVC_RP_REQUESTS_PER_MINUTE,
    deviceLinkBase: addresses.deviceLink,
    maintenance: config.SVC_MAINTENANCE,
  });
  return [
    ...relyingPartyApi,
    ...(config.SVC_RP_ROOT_ROUTES ? atRoot(relyingPartyApi) : []),
    ...createDeviceRoutes({
      ...aggregates,
      ...{ sessionViews, sessionTokens, facts, wake, clock, randomness, eventStore, progress },
      signatureVerifier: createSignatureVerifier({ ecdsaDigests }),
      issueCertificate: (application, context) =>
        issueCertificate(
          {
            ...{ certificates, authority, clock, randomness },
            validityYears: config.SVC_CERTIFICATE_YEARS,
          },
          application,
          context,
        ),
      replayStore:
        redis === null ? ownUses : createRedisReplayStore({ redis: redis.client, ownUses }),
    }),
    ...caCertificateRoutes(authority.certificates),
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
