import {
  initialRelyingPartySettings,
  type RelyingPartySettings,
} from '../../domain/relyingParty/settings.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { RelyingPartyData, RelyingPartyReferenceData } from '../ports/referenceData.ts';
import type { Randomness } from '../ports/randomness.ts';
import { newApiSecret } from '../relyingParty/administration.ts';
import type { RelyingParties } from '../aggregates.ts';

/** Relying party in whose name the platform itself requests signatures. */
export const platformRelyingPartyId = 'd0c00000-0000-4000-8000-000000000001';

export interface PlatformRelyingPartyDependencies {
  readonly relyingParties: RelyingParties;
  readonly referenceData: Pick<RelyingPartyReferenceData, 'relyingParty'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Name shown on phones; at most 32 bytes UTF-8. */
  readonly name: string;
}

/** The platform as a relying party of itself. */
export interface PlatformRelyingParty {
  /** Registers it on first use; its secret is discarded, so nobody else can authenticate as it. */
  get(): Promise<RelyingPartyData>;
  /** False after operators deactivated it, as they may any other. */
  isActive(): Promise<boolean>;
}

export function createPlatformRelyingParty(
  dependencies: PlatformRelyingPartyDependencies,
): PlatformRelyingParty {
  const { relyingParties, referenceData, clock, randomness, name } = dependencies;
  const settings: RelyingPartySettings = {
    ...initialRelyingPartySettings,
    name,
    permissions: ['SIGN'],
    firstParty: true,
  };
  const otherNames = false;

  async function register(): Promise<RelyingPartyData> {
    const relyingPartyId = platformRelyingPartyId;
    const { secretHash } = newApiSecret(randomness);
    const registeredAt = clock.now().toISOString();
    const registered = { ...settings, otherNames, relyingPartyId, secretHash, registeredAt };
    const command = { type: 'RegisterRelyingParty', registered } as const;
    try {
      await relyingParties.handleNew(relyingPartyId, command, bySystem(randomness));
    } catch (error) {
      // Registered concurrently, or the read model is behind.
      if (!isRefusal(error, 'CONFLICT')) throw error;
    }
    const lists = { subsystems: [], sealsFor: [], aliases: [] };
    return { ...settings, ...lists, relyingPartyId, otherNames, active: true };
  }

  return {
    get: async () => (await referenceData.relyingParty(platformRelyingPartyId)) ?? register(),
    isActive: async () =>
      (await referenceData.relyingParty(platformRelyingPartyId))?.active ?? true,
  };
}

function bySystem(randomness: Randomness): CommandContext {
  const id = randomness.uuid();
  return {
    actor: { kind: 'system', id: 'documents' },
    correlationId: id,
    causationId: id,
    requestId: null,
    ip: null,
  };
}
