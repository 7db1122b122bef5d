import { streamOf } from '../../domain/shared/streams.ts';
import { networkOf } from '../attempts.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/eventStore.ts';
import type { PersonalDataVault } from '../ports/personalDataVault.ts';

/** Days for which a network stays familiar after a login from it. */
const FAMILIAR_DAYS = 30;

/** True when the operator lately logged in from this network. */
export type IsFamiliarNetwork = (operatorId: string, network: string) => Promise<boolean>;

/**
 * Reads from the log where an operator logged in from: an attacker elsewhere who uses up the attempts of an e-mail
 * address must not lock its operator out.
 */
export function createIsFamiliarNetwork({
  eventStore,
  vault,
  clock,
}: {
  readonly eventStore: Pick<EventStore, 'read'>;
  readonly vault: Pick<PersonalDataVault, 'decryptAddress'>;
  readonly clock: Clock;
}): IsFamiliarNetwork {
  return async (operatorId, network) => {
    const since = clock.now().getTime() - FAMILIAR_DAYS * 86_400_000;
    const logins = eventStore.read(streamOf('secondFactor', operatorId));
    for await (const { metadata } of logins) {
      if (Date.parse(metadata.time) < since) continue;
      const ip = await vault.decryptAddress(metadata.ip);
      if (ip !== null && networkOf(ip) === network) return true;
    }
    return false;
  };
}
