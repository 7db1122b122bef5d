import { claimsOf, type FindAccount } from '../openIdConnect/accounts.ts';
import type { FindClient } from '../openIdConnect/servedClients.ts';
import type { Channel, WebhookMessage } from '../webhooks/ports/webhooks.ts';
import { openIdScopes } from '../../domain/shared/openIdScopes.ts';
import { type ConsentScope, isOpenIdScope } from '../../domain/shared/consentScopes.ts';
import {
  isHeld,
  type PushSet,
  queueOf,
  type SignalStream,
  type SignalStreams,
} from './ports/signalStreams.ts';
import type { SignalContent } from './signalsOf.ts';

export interface SigningDependencies {
  readonly findClient: FindClient;
  readonly findAccount: FindAccount;
  /** Scopes that the citizen has granted the client. */
  readonly consentedScopes: (civilId: string, clientId: string) => Promise<readonly ConsentScope[]>;
  readonly issuer: () => string;
  /** Signs a JWT with the key of this algorithm. */
  readonly sign: (algorithm: string, claims: object) => Promise<string>;
}

/** Signs the message of a stream as a security event token (RFC 8417); null: there is nothing to tell any more. */
export type SignSet = (stream: SignalStream, message: WebhookMessage) => Promise<string | null>;

/**
 * Makes tokens of messages when they are sent, so that a key that has ended signs none, and claims are those of then:
 * of scopes that the client has consent for.
 */
export function createSetSigning(dependencies: SigningDependencies): SignSet {
  const { findClient, findAccount, consentedScopes, issuer, sign } = dependencies;

  async function claims(civilId: string, clientId: string) {
    const account = await findAccount(civilId);
    if (account === null) return null;
    const scopes = await consentedScopes(civilId, clientId);
    const names = scopes
      .filter(isOpenIdScope)
      .flatMap((name): readonly string[] => openIdScopes[name].claims);
    const known = Object.entries(claimsOf(account)).filter(([name]) => names.includes(name));
    return known.length === 0 ? null : Object.fromEntries(known);
  }

  return async ({ streamId, clientId }, { id, type, body }) => {
    const client = await findClient(clientId);
    if (client === null) return null;
    const { sub, event, claimsOf: civilId, ...rest } = JSON.parse(body) as SignalContent;
    const changed = civilId === undefined ? {} : await claims(civilId, clientId);
    if (changed === null) return null;
    const iss = issuer();
    return sign(client.settings.idTokenSignedResponseAlg, {
      iss,
      aud: clientId,
      jti: id,
      ...rest,
      sub_id:
        sub === undefined ? { format: 'opaque', id: streamId } : { format: 'iss_sub', iss, sub },
      events: { [type]: { ...event, ...(civilId !== undefined && { claims: changed }) } },
    });
  };
}

/** Streams of security events, beside the webhooks of relying parties. */
export function signalChannel({
  streams,
  findClient,
  signSet,
  push,
}: {
  readonly streams: Pick<SignalStreams, 'all'>;
  readonly findClient: FindClient;
  readonly signSet: SignSet;
  readonly push: PushSet;
}): Channel {
  return {
    async queues() {
      return (await streams.all()).map(queueOf);
    },
    async open({ address }) {
      const stream = (await streams.all()).find((each) => queueOf(each).address === address);
      if (stream === undefined || (await findClient(stream.clientId)) === null) return null;
      return async (message) => {
        if (stream.push === null || isHeld(stream)) {
          return { kind: 'UNREACHABLE', reason: 'The stream is held.' };
        }
        const set = await signSet(stream, message);
        return set === null ? { kind: 'TAKEN' } : push(set, stream.push);
      };
    },
  };
}
