import { createAccounts } from '../application/openIdConnect/accounts.ts';
import { createLoginEndingReactors } from '../application/reactors/endLoginsThatLostTheirGround.ts';
import { createOidcTidying } from '../application/reactors/tidyOpenIdConnect.ts';
import type { Core } from './core.ts';
import type { OpenIdConnect } from './openIdConnect.ts';
import type { ServicePart } from './part.ts';

/** What ends with time, with certificates, consents and clients at the OpenID Connect provider. */
export function composeOpenIdConnectUpkeep(
  { foundation, aggregates, effects }: Core,
  { state, engine, accessLog, rotation, pages }: OpenIdConnect,
): ServicePart {
  const { clock, eventStore, checkpoints, singleActive, storedFacts, progress } = foundation;
  const { certificates, standingOf } = aggregates;
  const { onFailure } = effects;
  return {
    reactors: [
      ...createLoginEndingReactors({
        ...{ state, engine, accessLog, certificates, progress, clock },
        clientsOf: (relyingPartyId) => pages.clientsOf(relyingPartyId),
        findAccount: createAccounts({ facts: storedFacts, standingOf, clock }),
        ...{ eventStore, checkpoints, singleActive, onFailure },
      }),
      createOidcTidying({ state, rotation, clock, singleActive, onFailure }),
    ],
  };
}
