import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import {
  type ClientAdministrationDependencies,
  rotateOidcClientSecret,
} from '../openIdConnect/administerClients.ts';
import { type RelyingPartyDependencies, rotateSecret } from './administration.ts';
import { readToken, type SecretHolder } from './offers.ts';

/** A secret that a link handed over. */
export interface TakenSecret {
  readonly holder: SecretHolder;
  readonly holderId: string;
  /** Of the relying party or client, as citizens know it. */
  readonly name: string;
  readonly secret: string;
}

/**
 * Makes the secret that a link offers, and returns it, once.
 *
 * @param contextOf context of the command, by the id of the relying party or client
 * @throws Refusal NOT_FOUND for a link that opens nothing, or nothing any more
 */
export type TakeSecret = (
  token: string,
  contextOf: (holderId: string) => CommandContext,
) => Promise<TakenSecret>;

export function createTakeSecret({
  parties,
  clients,
  countsSince,
}: {
  readonly parties: RelyingPartyDependencies;
  readonly clients: ClientAdministrationDependencies;
  /** Time before which no link counts; null: nothing was restored. */
  readonly countsSince: () => Date | null;
}): TakeSecret {
  return async (token, contextOf) => {
    const { holder, holderId, tokenHash } = readToken(token);
    const context = contextOf(holderId);
    const opened = { tokenHash, countsSince: countsSince()?.toISOString() ?? null };
    try {
      if (holder === 'rp') {
        const { apiSecret } = await rotateSecret(parties, holderId, context, opened);
        const { state } = await parties.relyingParties.load(holderId);
        const name = state.status === 'NONE' ? '' : state.settings.name;
        return { holder, holderId, name, secret: apiSecret };
      }
      const { clientSecret } = await rotateOidcClientSecret(clients, holderId, context, opened);
      const { state } = await clients.clients.load(holderId);
      const name = state.status === 'NONE' ? '' : state.settings.name;
      return { holder, holderId, name, secret: clientSecret ?? '' };
    } catch (error) {
      // Tells nobody which relying parties and clients there are.
      const isUnknown = ['RELYING_PARTY_NOT_FOUND', 'OIDC_CLIENT_NOT_FOUND', 'CONFLICT'];
      if (isRefusal(error) && isUnknown.includes(error.code)) throw new Refusal('NOT_FOUND');
      throw error;
    }
  };
}
