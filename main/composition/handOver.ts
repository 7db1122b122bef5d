import { createRateLimit } from '../../api/bounds/admission.ts';
import { handOverRoutes } from '../../api/handOver/routes.ts';
import { clientEnvironment, oidcEnvironment } from '../../api/pages/clientEnvironment.ts';
import type { RelyingPartyDependencies } from '../../application/relyingParty/administration.ts';
import { createTakeSecret } from '../../application/relyingParty/takeSecret.ts';
import { publicAddresses } from '../../infrastructure/config/publicAddresses.ts';
import type { Core } from './core.ts';
import type { OpenIdConnect } from './openIdConnect.ts';
import type { ServiceModule } from './serviceModule.ts';

/** The page of a link that hands over the secret of a relying party or an OpenID Connect client. */
export function composeHandOver(
  { config, foundation: { redis, restoreGate } }: Core,
  parties: RelyingPartyDependencies,
  {
    administering: clients,
    issuer,
    reply,
  }: Pick<OpenIdConnect, 'administering' | 'issuer' | 'reply'>,
): ServiceModule {
  const { rpApi: api } = publicAddresses(config);
  return {
    routes: handOverRoutes({
      takeSecret: createTakeSecret({ parties, clients, countsSince: restoreGate.countsSince }),
      variablesOf: ({ holder, holderId, name, secret }) =>
        holder === 'rp'
          ? clientEnvironment({ api, id: holderId, name, secret })
          : oidcEnvironment({ issuer: issuer(), clientId: holderId, secret }),
      rateLimit: createRateLimit({ name: 'tamga:hand-over', redis: redis?.client ?? null }),
      reply,
    }),
  };
}
