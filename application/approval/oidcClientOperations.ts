import type { ApprovalEffect } from '../../domain/approval/events.ts';
import type { RegisteredOidcClient } from '../../domain/oidcClient/oidcClient.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import {
  type ClientAdministrationDependencies,
  deactivateOidcClient,
  offerOidcClientSecret,
  rotateOidcClientSecret,
} from '../openIdConnect/administerClients.ts';
import { createOidcClients } from '../openIdConnect/aggregates.ts';
import type { EventStore } from '../ports/eventStore.ts';
import type { Plan, SensitiveOperation } from './operations.ts';
import { newSecretFor } from './relyingPartyOperations.ts';

/** Deactivating clients of the OpenID Connect provider and rotating their secrets. */
export function oidcClientOperations(dependencies: ClientAdministrationDependencies): {
  readonly 'oidcClient.deactivate': SensitiveOperation<'oidcClient.deactivate'>;
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
