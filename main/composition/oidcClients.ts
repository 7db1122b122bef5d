import type { OperatorGuards } from '../../api/admin/guard.ts';
import { oidcClientRoutes } from '../../api/admin/oidcClientRoutes.ts';
import type { Submit } from '../../application/approval/submitCommand.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import { createLoginEndingReactors } from '../../application/openIdConnect/accounts.ts';
import {
  deactivateOidcClient,
  editOidcClient,
  reactivateOidcClient,
  registerOidcClient,
  registerOidcClientByLink,
  rotateOidcClientSecret,
} from '../../application/openIdConnect/administerClients.ts';
import { createOidcTidying } from '../../application/reactors/tidyOpenIdConnect.ts';
import type { OidcClientSettings } from '../../domain/oidcClient/settings.ts';
import type { Core } from './core.ts';
import type { OpenIdConnect } from './openIdConnect.ts';
import type { ServiceModule } from './serviceModule.ts';
import { certificatesReadModel } from '../../projections/models/certificates.ts';
import { citizensReadModel } from '../../projections/models/citizens.ts';
import { devicesReadModel } from '../../projections/models/devices.ts';
import { oidcClientsReadModel } from '../../projections/models/oidcClients.ts';
import { relyingPartiesReadModel } from '../../projections/models/relyingParties.ts';

/** Clients listed at most. */
const LISTED = 1000;

/**
 * Clients of the OpenID Connect provider: queries and commands of operators; reactors to expiry, and to the end of
 * certificates, consents and clients.
 */
export function composeOidcClients(
  { foundation, aggregates, effects }: Core,
  provider: OpenIdConnect,
  { guards, submit }: { readonly guards: OperatorGuards; readonly submit: Submit },
) {
  const { clock, eventStore, leaderLock } = foundation;
  const { certificates } = aggregates;
  const { onFailure } = effects;
  const { state, engine, accessLog, rotation, pages, administering, issuer, withdraw } = provider;
  const module: ServiceModule = {
    routes: oidcClientRoutes(guards, { ...administering, ...pages, eventStore, submit }),
    reactors: [
      ...createLoginEndingReactors({
        state,
        engine,
        accessLog,
        certificates,
        progress: foundation.progressOf(
          certificatesReadModel,
          devicesReadModel,
          citizensReadModel,
          relyingPartiesReadModel,
          oidcClientsReadModel,
        ),
        clock,
        clientsOf: (relyingPartyId) => pages.clientsOf(relyingPartyId),
        findAccount: provider.findStoredAccount,
        ...effects.following,
      }),
      createOidcTidying({ state, rotation, clock, leaderLock, onFailure }),
    ],
  };

  /** Administration of the provider on the machine itself. */
  const administration = (contextOf: () => CommandContext) => ({
    issuer,
    register: (settings: OidcClientSettings & { readonly relyingPartyId: string }) =>
      registerOidcClient(
        administering,
        { ...settings, clientId: foundation.randomness.uuid() },
        contextOf(),
      ),
    registerByLink: (settings: OidcClientSettings & { readonly relyingPartyId: string }) =>
      registerOidcClientByLink(
        administering,
        { ...settings, clientId: foundation.randomness.uuid() },
        contextOf(),
      ),
    edit: (clientId: string, changes: Partial<OidcClientSettings>) =>
      editOidcClient(administering, { clientId, changes }, contextOf()),
    rotateSecret: (clientId: string) =>
      rotateOidcClientSecret(administering, clientId, contextOf()),
    deactivate: (clientId: string) => deactivateOidcClient(administering, clientId, contextOf()),
    reactivate: (clientId: string) => reactivateOidcClient(administering, clientId, contextOf()),
    list: async () => {
      const whole = { query: '', active: null, limit: LISTED, offset: 0 };
      return (await pages.oidcClientPage(whole)).items;
    },
    withdrawConsent: (civilId: string, clientId: string) =>
      withdraw({ civilId, clientId }, contextOf()),
    /** Other processes reload keys within half a minute. */
    rotateKeys: async (atOnce: boolean) => {
      await rotation.rotate(atOnce);
      await engine.refreshKeys();
    },
  });
  return { module, administration };
}

export type OidcAdministration = ReturnType<
  ReturnType<typeof composeOidcClients>['administration']
>;
