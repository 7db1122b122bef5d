import type { ApprovalEffect } from '../../domain/approval/events.ts';
import type { RegisteredOidcClient } from '../../domain/oidcClient/oidcClient.ts';
import type { OidcClientSettings } from '../../domain/oidcClient/settings.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import {
  type ClientAdministrationDependencies,
  deactivateOidcClient,
  editOidcClient,
  expectEditable,
  offerOidcClientSecret,
  rotateOidcClientSecret,
} from '../openIdConnect/administerClients.ts';
import type { ExpectNamesFree } from '../names/takeName.ts';
import { createOidcClients } from '../openIdConnect/aggregates.ts';
import type { EventStore } from '../ports/eventStore.ts';
import type { Plan, SensitiveOperation } from './operations.ts';
import { newSecretFor, settingEffects } from './relyingPartyOperations.ts';

/** Commands about clients of the OpenID Connect provider: decisive edits, rotations of secrets, deactivation. */
export function oidcClientOperations(
  dependencies: ClientAdministrationDependencies & { readonly expectNamesFree: ExpectNamesFree },
): {
  readonly 'oidcClient.deactivate': SensitiveOperation<'oidcClient.deactivate'>;
  readonly 'oidcClient.edit': SensitiveOperation<'oidcClient.edit'>;
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
        plan(clientId, ({ secretHash, settings: { name } }) => {
          if (secretHash === null) {
            throw new Refusal('CONFLICT', { detail: 'This client has no secret.' });
          }
          return [
            {
              target: `secret of OpenID Connect client ${name}`,
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

/** Settings of what citizens are shown, and of how a client proves itself: two operators change them. */
const decisive = [
  'name',
  'nameEn',
  'logoUri',
  'organization',
  'authMethod',
  'securityProfile',
  'requirePkce',
] as const satisfies readonly (keyof OidcClientSettings)[];

/** Settings that say where tokens go, who proves itself with what, and what for: two operators add to them. */
const widening = [
  'redirectUris',
  'keys',
  'scopes',
  'exchanges',
] as const satisfies readonly (keyof OidcClientSettings)[];

/** True for changes of an OpenID Connect client that two operators make. */
export function clientTakesTwo(
  changes: Partial<OidcClientSettings>,
  { settings }: Pick<RegisteredOidcClient, 'settings'>,
): boolean {
  const after = { ...settings, ...changes };
  const texts = (entries: readonly unknown[]) => entries.map((each) => JSON.stringify(each));
  return (
    decisive.some((name) => after[name] !== settings[name]) ||
    widening.some((name) => {
      const known = texts(settings[name]);
      return texts(after[name]).some((entry) => !known.includes(entry));
    })
  );
}
