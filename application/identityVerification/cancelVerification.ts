import type { CommandContext } from '../handleCommand.ts';
import { loadFor, type VerificationHolder } from './holder.ts';
import { type ReadVerificationDependencies, readVerification } from './readVerification.ts';
import type { VerificationView } from './verificationView.ts';

/**
 * Cancels a verification. An ended one keeps its outcome.
 *
 * @throws Refusal VERIFICATION_NOT_FOUND
 */
export async function cancelVerification(
  dependencies: ReadVerificationDependencies,
  holder: VerificationHolder,
  context: CommandContext,
): Promise<VerificationView> {
  const { verifications, clock } = dependencies;
  const { started } = await loadFor(dependencies, holder);
  const now = clock.now().toISOString();
  const command = { type: 'CancelVerification', started, now } as const;
  await verifications.handle(holder.verificationId, command, context);
  return readVerification(dependencies, holder, context);
}
