import type { ApprovalEffect } from '../../domain/approval/events.ts';
import {
  expectSecret,
  hasSecret,
  type RegisteredOidcClient,
} from '../../domain/oidcClient/oidcClient.ts';
import {
  initialOidcClientSettings,
  type OidcClientSettings,
} from '../../domain/oidcClient/settings.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import {
  type ClientAdministrationDependencies,
  deactivateOidcClient,
  editOidcClient,
  expectEditable,
  expectRegistrable,
  offerOidcClientSecret,
  registerOidcClient,
  registerOidcClientByLink,
  rotateOidcClientSecret,
} from '../openIdConnect/administerClients.ts';
import type { ExpectNamesFree } from '../names/takeName.ts';
import { createOidcClients } from '../openIdConnect/aggregates.ts';
import type { EventStore } from '../ports/eventStore.ts';
import type { Plan, SensitiveOperation } from './operations.ts';
import {
  firstSecret,
  firstSettings,
  newSecretFor,
  settingEffects,
} from './relyingPartyOperations.ts';

/** Commands about clients of the OpenID Connect provider: registration, decisive edits, rotations of secrets, deactivation. */
export function oidcClientOperations(
  dependencies: ClientAdministrationDependencies & { readonly expectNamesFree: ExpectNamesFree },
): {
  readonly 'oidcClient.deactivate': SensitiveOperation<'oidcClient.deactivate'>;
  readonly 'oidcClient.edit': SensitiveOperation<'oidcClient.edit'>;
  readonly 'oidcClient.register': SensitiveOperation<'oidcClient.register'>;
  readonly 'oidcClient.rotateSecret': SensitiveOperation<'oidcClient.rotateSecret'>;
} {
  const over = (eventStore: EventStore) => ({
    ...dependencies,
    clients: createOidcClients({ ...dependencies, eventStore }),
  });

  async function plan(
    clientId: string,
    effects: (client: RegisteredOidcClient) => readonly ApprovalEffect[],
  ): Promise<Plan> {
    const { state, revision } = await dependencies.clients.load(clientId);
    if (state.status === 'NONE') throw new Refusal('OIDC_CLIENT_NOT_FOUND');
    return {
      subject: clientId,
      civilId: null,
      effects: effects(state),
      targets: [{ stream: streamOf('oidcClient', clientId), revision }],
    };
  }

  return {
    'oidcClient.deactivate': {
      plan: ({ clientId }) =>
        plan(clientId, ({ status, settings: { name } }) =>
          status === 'DEACTIVATED'
            ? []
            : [{ target: `OpenID Connect client ${name}`, before: status, after: 'DEACTIVATED' }],
        ),
      async execute({ clientId }, context, eventStore) {
        await deactivateOidcClient(over(eventStore), clientId, context);
        return null;
      },
    },

    'oidcClient.register': {
      async plan({ clientId, relyingPartyId, settings, byLink }) {
        if (byLink === true) expectSecret(settings);
        const wished = { ...settings, clientId, relyingPartyId };
        const wishes = await expectRegistrable(dependencies, wished);
        for (const wish of wishes) await dependencies.expectNamesFree(wish);
        const { state, revision } = await dependencies.clients.load(clientId);
        const { name } = settings;
        const whose = `OpenID Connect client ${name}`;
        const party = await dependencies.referenceData.relyingParty(relyingPartyId);
        const registration = { target: whose, before: 'none', after: 'ACTIVE' };
        const owner = {
          target: `relying party of ${whose}`,
          before: 'none',
          after: `${party?.name ?? ''} ${relyingPartyId}`,
        };
        const blank = { ...initialOidcClientSettings, name };
        return {
          subject: clientId,
          civilId: null,
          effects:
            state.status === 'NONE'
              ? [
                  registration,
                  owner,
                  ...firstSettings(whose, blank, settings),
                  ...firstSecret(`secret of ${whose}`, byLink),
                ]
              : [],
          ...(!hasSecret(settings) && { execution: 'AT_ONCE' }),
          targets: [{ stream: streamOf('oidcClient', clientId), revision }],
        };
      },
      execute: ({ clientId, relyingPartyId, settings, byLink }, context, eventStore) =>
        (byLink === true ? registerOidcClientByLink : registerOidcClient)(
          over(eventStore),
          { ...settings, clientId, relyingPartyId },
          context,
        ),
      completes: ({ type }) => type === 'OidcClientRegistered',
    },

    'oidcClient.edit': {
      async plan({ clientId, changes }) {
        const wishes = await expectEditable(dependencies, clientId, changes);
        for (const wish of wishes) await dependencies.expectNamesFree(wish);
        return plan(clientId, ({ settings }) =>
          settingEffects(`OpenID Connect client ${settings.name}`, settings, {
            ...settings,
            ...changes,
          }),
        );
      },
      async execute({ clientId, changes }, context, eventStore) {
        await editOidcClient(over(eventStore), { clientId, changes }, context);
        return null;
      },
      completes: ({ type }) => type === 'OidcClientEdited',
    },

    'oidcClient.rotateSecret': {
      plan: ({ clientId, byLink }) =>
        plan(clientId, ({ settings }) => {
          expectSecret(settings);
          return [
            {
              target: `secret of OpenID Connect client ${settings.name}`,
              before: 'the present secret',
              after: newSecretFor(byLink),
            },
          ];
        }),
      execute: ({ clientId, byLink }, context, eventStore) =>
        (byLink === true ? offerOidcClientSecret : rotateOidcClientSecret)(
          over(eventStore),
          clientId,
          context,
        ),
      completes: ({ type }) =>
        type === 'OidcClientSecretRotated' || type === 'OidcClientSecretOffered',
    },
  };
}

/**
 * Operators that change a setting of a client: two wherever it says who is asked to trust whom, where anything is sent,
 * what proves the client or what it may ask for. A list loses entries by one.
 */
const changedBy = {
  name: 2,
  nameEn: 2,
  logoUri: 2,
  clientUri: 2,
  organization: 2,
  sector: 2,
  applicationType: 2,
  redirectUris: 2,
  backchannelLogoutUri: 2,
  backchannelTokenDeliveryMode: 2,
  backchannelClientNotificationEndpoint: 2,
  deviceFlow: 2,
  authMethod: 2,
  keys: 2,
  securityProfile: 2,
  requirePkce: 2,
  scopes: 2,
  authorizationDetailsTypes: 2,
  apis: 2,
  exchanges: 2,
  audience: 2,
  apiScopes: 2,
  accessTokenFormat: 2,
  accessTokenSeconds: 1,
  postLogoutRedirectUris: 1,
  idTokenSignedResponseAlg: 1,
  conformIdTokenClaims: 1,
} as const satisfies Record<keyof OidcClientSettings, 1 | 2>;

/** True for changes of an OpenID Connect client that two operators make. */
export function clientTakesTwo(
  changes: Partial<OidcClientSettings>,
  { settings }: Pick<RegisteredOidcClient, 'settings'>,
): boolean {
  const entriesOf = (value: unknown) => [value].flat().map((entry) => JSON.stringify(entry));
  const names = Object.keys(changes) as (keyof OidcClientSettings)[];
  return names.some((name) => {
    const known = entriesOf(settings[name]);
    return changedBy[name] === 2 && entriesOf(changes[name]).some((each) => !known.includes(each));
  });
}
