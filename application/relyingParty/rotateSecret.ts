import type { CommandContext } from '../handleCommand.ts';
import { readableSoon } from '../readable.ts';
import { newApiSecret } from './apiSecret.ts';
import type { IssuedSecret, RelyingPartyDependencies } from './registerRelyingParty.ts';

/** Replaces a relying party's secret; the old one stops working. @throws Refusal RELYING_PARTY_NOT_FOUND */
export async function rotateSecret(
  { relyingParties, clock, randomness, progress }: RelyingPartyDependencies,
  relyingPartyId: string,
  context: CommandContext,
): Promise<IssuedSecret> {
  const { apiSecret, secretHash } = newApiSecret(randomness);
  await readableSoon(
    progress,
    relyingParties.handle(
      relyingPartyId,
      { type: 'RotateSecret', secretHash, now: clock.now().toISOString() },
      context,
    ),
  );
  return { relyingPartyId, apiSecret };
}
