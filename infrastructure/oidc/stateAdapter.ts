import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider';
import type { Clock } from '../../application/ports/clock.ts';
import type { OidcHost } from '../../application/openIdConnect/ports/oidcHost.ts';
import type { FoundRecord } from '../../application/openIdConnect/ports/oidcState.ts';
import type { ClientLimit } from '../../api/openIdConnect/ports/clientLimit.ts';
import type { IdTokenAlgorithm } from '../../domain/oidcClient/settings.ts';
import { refuseBeyond } from './clientRequests.ts';
import { clientMetadata } from './clientMetadata.ts';
import type { RequestState } from './requestState.ts';

export interface StateAdapterOptions {
  readonly state: Omit<RequestState, 'finish'>;
  readonly host: Pick<OidcHost, 'client'>;
  readonly clock: Clock;
  /** The civil id of an account. */
  readonly civilIdOf: (accountId: string) => string;
  readonly clientLimit: ClientLimit;
  /** Counts a poll of a device. @throws errors.SlowDown when it comes too soon */
  readonly keepPace: (deviceCode: string) => Promise<void>;
  /** Algorithms there are keys for: the library throws for a client that wants another, even where it logs out. */
  readonly offers: (algorithm: IdTokenAlgorithm) => boolean;
}

/** Lifetime of artefacts without an expiry of their own, seconds. */
const FALLBACK_LIFE = 14 * 86_400;

function accountOf({ accountId, session }: AdapterPayload): string | null {
  const ofInteraction = (session as { readonly accountId?: string } | undefined)?.accountId;
  return accountId ?? ofInteraction ?? null;
}

/** Identifier of the browser session that a code or token ends with; null: with none. */
function sessionOf({ expiresWithSession, sessionUid }: AdapterPayload): string | null {
  return expiresWithSession === true && sessionUid !== undefined ? sessionUid : null;
}

function payloadOf(found: FoundRecord | null): AdapterPayload | undefined {
  if (found === null) return undefined;
  const { payload, consumedAt } = found;
  if (consumedAt === null) return { ...payload };
  return { ...payload, consumed: Math.floor(consumedAt.getTime() / 1000) };
}

/** The library's storage interface over {@link RequestState}; clients come from the platform. */
export function createStateAdapter(options: StateAdapterOptions): (kind: string) => Adapter {
  const { state, clock, civilIdOf } = options;
  return (kind) =>
    kind === 'Client'
      ? clientAdapter(options)
      : {
          async upsert(id, payload, expiresIn = FALLBACK_LIFE) {
            const account = accountOf(payload);
            await state.put({
              kind,
              id,
              payload: { ...payload },
              civilId: account === null ? null : civilIdOf(account),
              clientId: payload.clientId ?? null,
              grantId: kind === 'Grant' ? id : (payload.grantId ?? null),
              uid: payload.userCode ?? payload.uid ?? sessionOf(payload),
              expiresAt: new Date(clock.now().getTime() + expiresIn * 1000),
            });
          },
          find: async (id) => {
            const found = payloadOf(await state.find(kind, id));
            const isPoll = kind === 'DeviceCode' && Provider.ctx?.oidc.route === 'token';
            if (isPoll && found !== undefined) await options.keepPace(id);
            return found;
          },
          findByUid: async (uid) => payloadOf(await state.findByUid(kind, uid)),
          findByUserCode: async (userCode) => payloadOf(await state.findByUid(kind, userCode)),
          consume: (id) => state.use(kind, id),
          destroy: (id) => state.remove(kind, id),
          revokeByGrantId: (grantId) => state.removeOfGrant(grantId, kind),
        };
}

/** Clients are registered by operators only. */
function clientAdapter({ host, offers, clientLimit }: StateAdapterOptions): Adapter {
  const readOnly = () => Promise.reject(new Error('Dynamic client registration is not supported.'));
  const none = () => Promise.resolve(undefined);
  return {
    async find(clientId) {
      refuseBeyond(clientLimit, clientId);
      const client = await host.client(clientId);
      if (client === null || !offers(client.settings.idTokenSignedResponseAlg)) return undefined;
      return clientMetadata(client);
    },
    findByUid: none,
    findByUserCode: none,
    upsert: readOnly,
    consume: readOnly,
    destroy: readOnly,
    revokeByGrantId: readOnly,
  };
}
