import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { RelyingParties } from '../aggregates.ts';

/** Registers a subsystem of a relying party unless it is known. @throws Refusal INVALID_REQUEST when there are too many */
export type NoteSubsystem = (
  relyingPartyId: string,
  subsystem: string,
  context: CommandContext,
) => Promise<void>;

/**
 * Serializes per relying party: new subsystems that appear together would otherwise conflict in its stream until some
 * of them, and with them their sessions, were refused.
 */
export function createNoteSubsystem({
  relyingParties,
  clock,
}: {
  readonly relyingParties: RelyingParties;
  readonly clock: Clock;
}): NoteSubsystem {
  const last = new Map<string, Promise<unknown>>();

  return async (relyingPartyId, subsystem, context) => {
    const before = last.get(relyingPartyId) ?? Promise.resolve();
    const noted = before.then(() =>
      relyingParties.handle(
        relyingPartyId,
        { type: 'NoteSubsystem', subsystem, now: clock.now().toISOString() },
        context,
      ),
    );
    const settled = noted.catch(() => undefined);
    last.set(relyingPartyId, settled);
    try {
      await noted;
    } finally {
      if (last.get(relyingPartyId) === settled) last.delete(relyingPartyId);
    }
  };
}
