import type { SubsystemChange } from '../../domain/relyingParty/subsystems.ts';
import type { CommandContext } from '../handleCommand.ts';
import { readable } from '../readable.ts';
import type { RelyingPartyDependencies } from './registerRelyingParty.ts';

/**
 * Deactivates, activates, renames a subsystem or merges it into another.
 *
 * @throws Refusal RELYING_PARTY_NOT_FOUND, SUBSYSTEM_NOT_FOUND, CONFLICT when it was merged already or cannot be
 */
export async function administerSubsystem(
  { relyingParties, clock, progress }: Omit<RelyingPartyDependencies, 'randomness'>,
  relyingPartyId: string,
  { number, change }: { readonly number: number; readonly change: SubsystemChange },
  context: CommandContext,
): Promise<void> {
  const now = clock.now().toISOString();
  const command = { type: 'ChangeSubsystem', number, change, now } as const;
  await readable(progress, relyingParties.handle(relyingPartyId, command, context));
}
