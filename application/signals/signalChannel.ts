import type { RegisteredOidcClient } from '../../domain/oidcClient/oidcClient.ts';
import { caepTypes, mayHaveStream } from '../../domain/oidcClient/signals.ts';
import { type ConsentScope, isOpenIdScope } from '../../domain/shared/consentScopes.ts';
import { openIdScopes } from '../../domain/shared/openIdScopes.ts';
import { claimsOf } from '../openIdConnect/accounts.ts';
import type { FindClient } from '../openIdConnect/servedClients.ts';
import type { PersonalDataVault } from '../ports/personalDataVault.ts';
import type { CitizenReferenceData } from '../ports/referenceData.ts';
import type { Channel, WebhookMessage } from '../webhooks/ports/webhooks.ts';
import {
  isHeld,
  type PushSet,
  queueOf,
  type SignalStream,
  type SignalStreams,
  streamIdIn,
} from './ports/signalStreams.ts';
import type { SignalContent } from './signalsOf.ts';

/** Finds an active client that may have a stream; one that may no longer keeps its stream, and is sent nothing. */
export function createFindReceiver(findClient: FindClient): FindClient {
  return async (clientId) => {
    const client = await findClient(clientId);
    return client !== null && mayHaveStream(client.settings) ? client : null;
  };
}

export interface SigningDependencies {
  readonly streams: Pick<SignalStreams, 'isRemoved'>;
  /** From the tables as they are, not from memory. */
  readonly referenceData: CitizenReferenceData;
  /** Scopes that the citizen has granted the client; empty: there is no consent. */
  readonly consentedScopes: (civilId: string, clientId: string) => Promise<readonly ConsentScope[]>;
  readonly vault: Pick<PersonalDataVault, 'decrypt'>;
  readonly issuer: () => string;
  /** Signs a JWT with the key of this algorithm. */
  readonly sign: (algorithm: string, claims: object) => Promise<string>;
}

/** Signs the message of a stream as a security event token (RFC 8417); null: there is nothing to tell any more. */
export type SignSet = (
  stream: Pick<SignalStream, 'streamId' | 'clientId'>,
  client: Pick<RegisteredOidcClient, 'settings'>,
  message: Pick<WebhookMessage, 'id' | 'type' | 'body'>,
) => Promise<string | null>;

/**
 * Makes tokens of messages when they are sent, so that a key that has ended signs none, a client is told nothing of a
 * citizen who withdrew the consent meanwhile, and claims are those of then: of scopes that it has consent for.
 */
export function createSetSigning(dependencies: SigningDependencies): SignSet {
  const { streams, referenceData, consentedScopes, vault, issuer, sign } = dependencies;

  /** Claims as they are, whatever became of the citizen's certificates. */
  async function claims(civilId: string, scopes: readonly ConsentScope[]) {
    const citizen = await referenceData.citizen({ type: 'civilId', civilId });
    if (citizen === null) return null;
    const names = scopes
      .filter(isOpenIdScope)
      .flatMap((name): readonly string[] => openIdScopes[name].claims);
    const all = claimsOf({ identity: citizen.identity, representation: null });
    const known = Object.entries(all).filter(([name]) => names.includes(name));
    return known.length === 0 ? null : { claims: Object.fromEntries(known) };
  }

  /** Members that an event is completed with; null: it is not to be told any more. */
  async function completion(
    { streamId, clientId }: Parameters<SignSet>[0],
    type: WebhookMessage['type'],
    { sub, about }: SignalContent,
  ): Promise<object | null> {
    // The end of sessions is told after the withdrawal that led to it, too.
    if (sub === undefined || type === caepTypes.sessionRevoked) return {};
    const civilId = about === undefined ? null : await vault.decrypt(null, about);
    if (civilId === null || (await streams.isRemoved(streamId, sub))) return null;
    const scopes = await consentedScopes(civilId, clientId);
    if (scopes.length === 0) return null;
    return type === caepTypes.tokenClaimsChange ? claims(civilId, scopes) : {};
  }

  return async (stream, { settings }, { id, type, body }) => {
    const content = JSON.parse(body) as SignalContent;
    const { iat, txn, sub, event } = content;
    const completed = await completion(stream, type, content);
    if (completed === null) return null;
    const iss = issuer();
    return sign(settings.idTokenSignedResponseAlg, {
      iss,
      aud: stream.clientId,
      jti: id,
      iat,
      txn,
      sub_id:
        sub === undefined
          ? { format: 'opaque', id: stream.streamId }
          : { format: 'iss_sub', iss, sub },
      events: { [type]: { ...event, ...completed } },
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
  readonly streams: Pick<SignalStreams, 'all' | 'byId'>;
  /** Finds a client that may have a stream. */
  readonly findClient: FindClient;
  readonly signSet: SignSet;
  readonly push: PushSet;
}): Channel {
  return {
    async queues() {
      return (await streams.all()).map(queueOf);
    },
    async open(queue) {
      const streamId = streamIdIn(queue);
      const stream = streamId === null ? null : await streams.byId(streamId);
      const client = stream === null ? null : await findClient(stream.clientId);
      if (stream === null || client === null) return null;
      return async (message) => {
        if (stream.push === null || isHeld(stream)) {
          return { kind: 'UNREACHABLE', reason: 'The stream is held.' };
        }
        const set = await signSet(stream, client, message);
        return set === null ? { kind: 'TAKEN' } : push(set, stream.push);
      };
    },
  };
}
