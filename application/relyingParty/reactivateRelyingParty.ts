import type { CommandContext } from '../handleCommand.ts';
import { readable } from '../readable.ts';
import type { RelyingPartyDependencies } from './registerRelyingParty.ts';

/** Its secret opens again what it did before. @throws Refusal RELYING_PARTY_NOT_FOUND */
export async function reactivateRelyingParty(
  { relyingParties, clock, progress }: Omit<RelyingPartyDependencies, 'randomness'>,
  relyingPartyId: string,
  context: CommandContext,
): Promise<void> {
  const command = { type: 'ReactivateRelyingParty', now: clock.now().toISOString() } as const;
  await readable(progress, relyingParties.handle(relyingPartyId, command, context));
}
