import {
  type ApiScopeText,
  type ApiSettings,
  type Exchange,
  jwtSeconds,
} from '../../domain/oidcClient/apis.ts';
import type { IdTokenAlgorithm } from '../../domain/oidcClient/settings.ts';
import type { FindClient } from './servedClients.ts';

/** An API that a client may ask for, or act at: active, and still registered for it. */
export interface ServedApi {
  /** The client_id of the API. */
  readonly apiId: string;
  readonly audience: string;
  readonly name: string;
  /** Null: no English name. */
  readonly nameEn: string | null;
  /** Citizens are known to it by the subject of this sector (OpenID Connect Core §8.1). */
  readonly sector: string;
  readonly scopes: readonly ApiScopeText[];
  readonly format: ApiSettings['accessTokenFormat'];
  /** Signs its access tokens in format `jwt`. */
  readonly algorithm: IdTokenAlgorithm;
  /** False: the client only acts there for who asked for its own API. */
  readonly isAskedFor: boolean;
  /** Scopes by which the client, itself an API, may act there: its own, and what each becomes (RFC 8693). */
  readonly exchanges: readonly Pick<Exchange, 'from' | 'to'>[];
  /** Life of its access tokens, s. */
  readonly seconds: number;
}

/** The APIs that a client may ask for, or act at; none, if it is unknown or deactivated. */
export type ApisOf = (clientId: string) => Promise<readonly ServedApi[]>;

export function createApisOf(findClient: FindClient): ApisOf {
  async function served(apiId: string, settings: ApiSettings): Promise<readonly ServedApi[]> {
    const api = await findClient(apiId);
    if (api === null || api.settings.audience === null) return [];
    const { audience, name, nameEn, sector, apiScopes, accessTokenFormat } = api.settings;
    const { accessTokenSeconds, idTokenSignedResponseAlg } = api.settings;
    return [
      {
        apiId,
        audience,
        name,
        nameEn,
        sector,
        scopes: apiScopes,
        format: accessTokenFormat,
        algorithm: idTokenSignedResponseAlg,
        isAskedFor: settings.apis.includes(apiId),
        exchanges: settings.exchanges.filter(({ api: target }) => target === apiId),
        seconds: accessTokenSeconds ?? jwtSeconds,
      },
    ];
  }

  return async (clientId) => {
    const settings = (await findClient(clientId))?.settings;
    if (settings === undefined) return [];
    const ids = new Set([...settings.apis, ...settings.exchanges.map(({ api }) => api)]);
    return (await Promise.all([...ids].map((id) => served(id, settings)))).flat();
  };
}
