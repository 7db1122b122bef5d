import type { RelyingPartySettings } from '../../domain/relyingParty/events.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import type { Randomness } from '../ports/randomness.ts';
import { readableSoon } from '../readable.ts';
import { newApiSecret } from './apiSecret.ts';
import type { RelyingParties } from './relyingParties.ts';
import { usableSettings } from './relyingPartySettings.ts';

export interface RelyingPartyDependencies {
  readonly relyingParties: RelyingParties;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Waits until the change can be used. */
  readonly progress: ProjectionProgress;
}

/** What is told once and never again. */
export interface IssuedSecret {
  readonly relyingPartyId: string;
  /** `rp_sk_…`; only its SHA-256 is kept. */
  readonly apiSecret: string;
}

/**
 * Registers a relying party under a new UUID, or under the one given.
 *
 * @throws Refusal INVALID_REQUEST when the name is too long or a setting cannot be used, CONFLICT when the UUID is taken
 */
export async function registerRelyingParty(
  { relyingParties, clock, randomness, progress }: RelyingPartyDependencies,
  settings: RelyingPartySettings & { readonly relyingPartyId?: string },
  context: CommandContext,
): Promise<IssuedSecret> {
  const relyingPartyId = settings.relyingPartyId?.toLowerCase() ?? randomness.uuid();
  const { apiSecret, secretHash } = newApiSecret(randomness);
  const registered = {
    ...usableSettings(settings),
    relyingPartyId,
    secretHash,
    registeredAt: clock.now().toISOString(),
  };
  await readableSoon(
    progress,
    relyingParties.handleNew(relyingPartyId, { type: 'RegisterRelyingParty', registered }, context),
  );
  return { relyingPartyId, apiSecret };
}
