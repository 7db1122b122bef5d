import type { VerificationMethod } from '../../domain/identityVerification/events.ts';
import type { BegunVerification } from '../../domain/identityVerification/identityVerification.ts';
import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';
import { personEtsi } from '../../domain/shared/etsi.ts';
import { newEnrolmentToken } from '../citizen/enrolmentToken.ts';
import type { Citizens } from '../aggregates.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { CivilRecord, CivilRegistry } from '../ports/civilRegistry.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdentityProviders } from './ports/identityProvider.ts';
import {
  type LoadDependencies,
  loadFor,
  tokenSecretOf,
  type VerificationHolder,
} from './holder.ts';
import type { IdentityVerifications } from './identityVerifications.ts';
import { type VerificationView, type VerifiedIdentity, viewOf } from './verificationView.ts';

export interface ReadVerificationDependencies extends LoadDependencies {
  readonly verifications: IdentityVerifications;
  readonly providers: IdentityProviders;
  readonly citizens: Citizens;
  readonly civilRegistry: CivilRegistry;
  readonly clock: Clock;
  /** Highest level of certificates for an identity that no secret, chip or second factor proved. */
  readonly unprovedLevel: CertificateLevel;
}

/**
 * State of a verification. Completes a crash between the outcome and the enrolment token.
 *
 * @throws Refusal VERIFICATION_NOT_FOUND
 * @throws Unavailable(civilRegistry)
 */
export async function readVerification(
  dependencies: ReadVerificationDependencies,
  holder: VerificationHolder,
  context: CommandContext,
): Promise<VerificationView> {
  const begun = await loadFor(dependencies, holder);
  return shown(dependencies, begun, { holder, context });
}

/** The view of a verification, with the enrolment token of a verified one. @param about the record, if already read */
export async function shown(
  dependencies: ReadVerificationDependencies,
  begun: BegunVerification,
  about: {
    readonly holder: VerificationHolder;
    readonly context: CommandContext;
    readonly record?: CivilRecord;
  },
): Promise<VerificationView> {
  const { clock, providers } = dependencies;
  const now = clock.now().toISOString();
  const view = viewOf(begun, about.holder, { providers, now });
  if (begun.status !== 'VERIFIED' || now >= begun.succeeded.tokenExpiresAt) return view;
  return { ...view, verified: await enrolmentTokenFor(dependencies, begun, about) };
}

/**
 * The only token of a verified identity; registers the citizen unless known. Both follow from the log, so repeating it
 * is idempotent.
 */
async function enrolmentTokenFor(
  { citizens, civilRegistry, unprovedLevel }: ReadVerificationDependencies,
  { started, succeeded }: Extract<BegunVerification, { status: 'VERIFIED' }>,
  { holder, context, record }: Parameters<typeof shown>[2],
): Promise<VerifiedIdentity | null> {
  const { civilId, enrolmentTokenHash, verifiedAt, tokenExpiresAt } = succeeded;
  const found = record ?? (await civilRegistry.find({ type: 'civilId', civilId }));
  if (found === null) return null;
  await citizens.handle(
    civilId,
    {
      type: 'RecordVerifiedIdentity',
      civilId,
      method: started.method,
      identity: found.identity,
      highestLevel: isProved(started.method, succeeded.evidence) ? 'QSCD' : unprovedLevel,
      enrolmentTokenHash,
      now: verifiedAt,
      tokenExpiresAt,
    },
    context,
  );
  return {
    enrolmentToken: newEnrolmentToken(civilId, tokenSecretOf(holder)),
    expiresAt: new Date(tokenExpiresAt),
    etsi: personEtsi(civilId),
  };
}

/** False when a copy suffices: the printed number of a card, or the files of a chip that did not prove itself. */
function isProved(method: VerificationMethod, { chip }: Readonly<Record<string, string>>): boolean {
  return method === 'passport' ? chip === 'ACTIVE_AUTHENTICATION' : method !== 'citizenCard';
}
