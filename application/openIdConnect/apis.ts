import { type ApiSettings, jwtSeconds } from '../../domain/oidcClient/apis.ts';
import type { ApisOf, ServedApi } from './ports/servedApis.ts';
import type { FindClient } from './servedClients.ts';

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
