import type { RelyingPartySettings } from '../../domain/relyingParty/events.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { RelyingPartyFact, RelyingPartyFacts } from '../ports/facts.ts';
import type { Randomness } from '../ports/randomness.ts';
import { newApiSecret } from '../relyingParty/apiSecret.ts';
import type { RelyingParties } from '../relyingParty/relyingParties.ts';

/** The relying party in whose name the platform itself asks citizens to sign documents. */
export const platformRelyingPartyId = 'd0c00000-0000-4000-8000-000000000001';

export interface PlatformRelyingPartyDependencies {
  readonly relyingParties: RelyingParties;
  readonly facts: Pick<RelyingPartyFacts, 'relyingParty'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** What citizens read on their phones; at most 32 bytes UTF-8. */
  readonly name: string;
}

/** The platform as a relying party of itself. */
export interface PlatformRelyingParty {
  /** Registers it the first time; nobody is told its secret, so nobody else can speak for it. */
  get(): Promise<RelyingPartyFact>;
  /** Whether operators let it ask: they may deactivate it like any other. */
  isActive(): Promise<boolean>;
}

export function createPlatformRelyingParty(
  dependencies: PlatformRelyingPartyDependencies,
): PlatformRelyingParty {
  const { relyingParties, facts, clock, randomness, name } = dependencies;
  const settings: RelyingPartySettings = {
    ...{ name, callbackHosts: [], ipAllowlist: [], clientCertificates: [] },
    ...{ permissions: ['SIGN'], firstParty: true, requestsPerMinute: null },
    smartIdStatuses: false,
  };

  async function register(): Promise<RelyingPartyFact> {
    const relyingPartyId = platformRelyingPartyId;
    const { secretHash } = newApiSecret(randomness);
    const registeredAt = clock.now().toISOString();
    const registered = { ...settings, relyingPartyId, secretHash, registeredAt };
    const command = { type: 'RegisterRelyingParty', registered } as const;
    try {
      await relyingParties.handleNew(relyingPartyId, command, bySystem(randomness));
    } catch (error) {
      // Somebody was faster, or what lists show is behind: it is there.
      if (!isRefusal(error, 'CONFLICT')) throw error;
    }
    return { ...settings, relyingPartyId, active: true, subsystems: [] };
  }

  return {
    get: async () => (await facts.relyingParty(platformRelyingPartyId)) ?? register(),
    isActive: async () => (await facts.relyingParty(platformRelyingPartyId))?.active ?? true,
  };
}

function bySystem(randomness: Randomness): CommandContext {
  const id = randomness.uuid();
  return {
    ...{ actor: { kind: 'system', id: 'documents' }, correlationId: id, causationId: id },
    ...{ requestId: null, ip: null },
  };
}
