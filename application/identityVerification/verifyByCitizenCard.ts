import { parsePersonIdentifier } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { CitizenCard } from './ports/identityProvider.ts';
import { startVerification, type StartVerificationDependencies } from './startVerification.ts';
import { submitStep, type SubmitStepDependencies } from './submitStep.ts';
import type { VerifiedIdentity } from './verificationView.ts';

export type VerifyByCitizenCardDependencies = StartVerificationDependencies &
  SubmitStepDependencies;

/**
 * Verification by citizen card in one call: one attempt.
 *
 * @throws Refusal INVALID_REQUEST, VERIFICATION_METHOD_NOT_AVAILABLE, IDENTITY_NOT_VERIFIED, RATE_LIMITED after too
 * many attempts for one person
 * @throws Unavailable(civilRegistry)
 */
export async function verifyByCitizenCard(
  dependencies: VerifyByCitizenCardDependencies,
  card: CitizenCard,
  context: CommandContext,
): Promise<VerifiedIdentity> {
  parsePersonIdentifier(card.identifier, '#/identifier');
  const start = { method: 'citizenCard', attempts: 1 } as const;
  const { view, secret } = startVerification(dependencies, start);
  const { verificationId } = view;
  const { verified } = await submitStep(
    dependencies,
    { verificationId, secret },
    { method: 'citizenCard', input: card },
    { ...context, correlationId: verificationId },
  );
  if (verified === null) throw new Refusal('IDENTITY_NOT_VERIFIED');
  return verified;
}
