import type { CommandContext } from '../handleCommand.ts';
import type { RelyingPartyDependencies } from './registerRelyingParty.ts';

/** From now on its secret opens nothing. @throws Refusal RELYING_PARTY_NOT_FOUND */
export async function deactivateRelyingParty(
  { relyingParties, clock, progress }: Omit<RelyingPartyDependencies, 'randomness'>,
  relyingPartyId: string,
  context: CommandContext,
): Promise<void> {
  const { position } = await relyingParties.handle(
    relyingPartyId,
    { type: 'DeactivateRelyingParty', now: clock.now().toISOString() },
    context,
  );
  if (position !== null) await progress.untilProjected(position);
}
