import type { RelyingPartySettings } from '../../domain/relyingParty/events.ts';
import type { CommandContext } from '../handleCommand.ts';
import { readable } from '../readable.ts';
import type { RelyingPartyDependencies } from './registerRelyingParty.ts';
import { usableSettings } from './relyingPartySettings.ts';

/**
 * Changes some settings; the others stay, also those somebody else changes at the same time.
 *
 * @throws Refusal RELYING_PARTY_NOT_FOUND, INVALID_REQUEST when the name is too long or a setting cannot be used
 */
export async function editRelyingParty(
  { relyingParties, clock, progress }: Omit<RelyingPartyDependencies, 'randomness'>,
  relyingPartyId: string,
  wanted: Partial<RelyingPartySettings>,
  context: CommandContext,
): Promise<void> {
  const changes = usableSettings(wanted);
  const command = { type: 'EditRelyingParty', changes, now: clock.now().toISOString() } as const;
  await readable(progress, relyingParties.handle(relyingPartyId, command, context));
}
