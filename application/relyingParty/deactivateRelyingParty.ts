import type { CommandContext } from '../handleCommand.ts';
import { readable } from '../readable.ts';
import type { RelyingPartyDependencies } from './registerRelyingParty.ts';

/** From now on its secret opens nothing. @throws Refusal RELYING_PARTY_NOT_FOUND */
export async function deactivateRelyingParty(
  { relyingParties, clock, progress }: Omit<RelyingPartyDependencies, 'randomness'>,
  relyingPartyId: string,
  context: CommandContext,
): Promise<void> {
  await readable(
    progress,
    relyingParties.handle(
      relyingPartyId,
      { type: 'DeactivateRelyingParty', now: clock.now().toISOString() },
      context,
    ),
  );
}
