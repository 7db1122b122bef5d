import { createRateLimit } from '../api/http/rateLimit.ts';
import { verifyRoutes } from '../api/verify/routes.ts';
import { createVerifySession } from '../application/verification/verifySession.ts';
import { createCertificateReader } from '../infrastructure/pki/certificateReader.ts';
import { createSignatureVerifier } from '../infrastructure/pki/signatureVerifier.ts';
import { createTimestampVerifier } from '../infrastructure/timestamping/timestampVerifier.ts';
import type { TrustedIssuers } from '../infrastructure/pki/certificatePath.ts';
import { publicAddresses } from '../infrastructure/publicAddresses.ts';
import type { Core } from './core.ts';
import type { ServicePart } from './part.ts';

/** Pages one address may open a minute; many people may share one. */
const PAGES_PER_MINUTE = 300;

/**
 * The public verification pages.
 *
 * @param timestampIssuers whose timestamps count
 */
export function composeVerification(
  { config, foundation, aggregates, keys }: Core,
  timestampIssuers: TrustedIssuers,
): ServicePart {
  const { eventStore, clock, redis } = foundation;
  const verifySession = createVerifySession({
    ...{ sessions: aggregates.sessions, eventStore, clock },
    signatureVerifier: createSignatureVerifier({ ecdsaDigests: keys.ecdsaDigests }),
    certificates: createCertificateReader(keys.authority.certificates),
    timestamps: createTimestampVerifier(timestampIssuers),
  });
  return {
    routes: verifyRoutes({
      verifyBase: publicAddresses(config).verify,
      verifySession,
      rateLimit: createRateLimit({ name: 'tamga:verify', redis: redis?.client ?? null }),
      requestsPerMinute: PAGES_PER_MINUTE,
    }),
  };
}
