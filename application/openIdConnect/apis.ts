import { type ApiScopeText, type ApiSettings, jwtSeconds } from '../../domain/oidcClient/apis.ts';
import type { IdTokenAlgorithm } from '../../domain/oidcClient/settings.ts';
import type { FindClient } from './servedClients.ts';

/** An API that a client may ask for: active, and still registered for it. */
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
  /** Life of its access tokens, s. */
  readonly seconds: number;
}

/** The APIs that a client may ask for; none, if it is unknown or deactivated. */
export type ApisOf = (clientId: string) => Promise<readonly ServedApi[]>;

export function createApisOf(findClient: FindClient): ApisOf {
  async function served(apiId: string): Promise<readonly ServedApi[]> {
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
        seconds: accessTokenSeconds ?? jwtSeconds,
      },
    ];
  }

  return async (clientId) => {
    const client = await findClient(clientId);
    return (await Promise.all((client?.settings.apis ?? []).map(served))).flat();
  };
}
