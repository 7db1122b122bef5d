import { createRateLimit } from '../../api/bounds/admission.ts';
import { verifyRoutes } from '../../api/verify/routes.ts';
import { createVerifySession } from '../../application/verification/verifySession.ts';
import { createCertificateReader } from '../../infrastructure/pki/certificateReader.ts';
import { createTimestampVerifier } from '../../infrastructure/timestamping/timestampVerifier.ts';
import type { TrustedIssuers } from '../../infrastructure/pki/certificatePath.ts';
import { publicAddresses } from '../../infrastructure/config/publicAddresses.ts';
import type { Core } from './core.ts';
import type { ServiceModule } from './serviceModule.ts';

/** Rate limit of verification pages per address; many people may share one. */
const PAGES_PER_MINUTE = 300;

/**
 * The public verification pages.
 *
 * @param timestampIssuers trusted timestamp authorities
 */
export function composeVerification(
  { config, brand, foundation, aggregates, keys }: Core,
  timestampIssuers: TrustedIssuers,
): ServiceModule {
  const { eventStore, clock, redis } = foundation;
  const verifySession = createVerifySession({
    sessions: aggregates.sessions,
    madeDocuments: aggregates.madeDocuments,
    eventStore,
    clock,
    signatureVerifier: keys.signatureVerifier,
    certificates: createCertificateReader(keys.authority.certificates),
    timestamps: createTimestampVerifier(timestampIssuers),
  });
  return {
    routes: verifyRoutes({
      verifyBase: publicAddresses(config).verify,
      verifySession,
      rateLimit: createRateLimit({ name: 'tamga:verify', redis: redis?.client ?? null }),
      requestsPerMinute: PAGES_PER_MINUTE,
      brand,
    }),
  };
}
