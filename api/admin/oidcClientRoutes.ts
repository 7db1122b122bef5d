import { z } from 'zod';
import { clientTakesTwo } from '../../application/approval/oidcClientOperations.ts';
import type { Submit } from '../../application/approval/submitCommand.ts';
import {
  type ClientAdministrationDependencies,
  editOidcClient,
  reactivateOidcClient,
} from '../../application/openIdConnect/administerClients.ts';
import type { EventStore } from '../../application/ports/eventStore.ts';
import {
  oidcClientSettings,
  type OidcClientSettings,
  settingsIn,
} from '../../domain/oidcClient/settings.ts';
import { optionalRequests, partOf } from '../../domain/shared/settings.ts';
import {
  type ListedOidcClient,
  type OidcClientFilter,
  oidcClientSorts,
} from '../../projections/oidcClients.ts';
import { type Route, route } from '../http/route.ts';
import { approvalView, doneView, pendingReply, submittedReply } from './approvalRoutes.ts';
import { asOfQuery, momentOf } from './asOf.ts';
import { byOperator, type OperatorGuards } from './guard.ts';
import {
  clientKey,
  issuedClientSecretView,
  storedKey,
  oidcClientBody,
  oidcClientParams as params,
  oidcClientView,
  readOidcClient,
} from './oidcClientViews.ts';
import { byLink, byLinkIn, handOverView, madeSecret } from './issuedSecretResult.ts';
import {
  activeListQuery,
  longListOf,
  snapshotAnswer,
  sortQuery,
  type ListingWithSnapshot,
} from './paging.ts';
import { comment, commentBody, submitFor } from './submitting.ts';

export interface OidcClientAdminApi extends ClientAdministrationDependencies {
  readonly submit: Submit;
  readonly eventStore: Pick<EventStore, 'read'>;
  oidcClientPage(filter: OidcClientFilter): Promise<ListingWithSnapshot<ListedOidcClient>>;
}

const root = '/v3/admin/oidc-clients';

const { sector, ...settings } = {
  ...partOf(oidcClientSettings, 'request'),
  keys: z
    .array(clientKey)
    .max(10)
    .transform((keys) => keys.map(storedKey)),
};
const { name, redirectUris } = settings;
const registration = z.strictObject({
  relyingPartyUUID: z.guid().transform((text) => text.toLowerCase()),
  ...optionalRequests(oidcClientSettings),
  name,
  redirectUris,
  keys: settings.keys.default([]),
  sector: sector.optional(),
  byLink,
  comment,
});
/**
 * Editable settings. The sector is not: it would change the subject identifier of every citizen.
 */
const edit = z.strictObject({ ...settings, comment }).partial();

/** Clients of the OpenID Connect provider. */
export function oidcClientRoutes(
  guards: OperatorGuards,
  api: OidcClientAdminApi,
): readonly Route[] {
  const { eventStore, clock } = api;
  const reads = { guard: guards.withCapability('rp:read') } as const;
  const guard = guards.withCapability('rp:write');
  const shown = { 200: oidcClientView };

  return [
    route({
      guard,
      name: 'admin.oidcClients.register',
      summary:
        'Register an OpenID Connect client; its secret, or a link to it, is shown once, to the operator who asked',
      method: 'POST',
      path: root,
      body: registration,
      response: {
        201: z.union([
          issuedClientSecretView.extend(oidcClientView.shape),
          handOverView.extend(oidcClientView.shape),
        ]),
        202: approvalView,
      },
      handle: async (request) => {
        const { relyingPartyUUID: relyingPartyId, sector = relyingPartyId } = request.body;
        const clientId = api.randomness.uuid();
        const settings = settingsIn({ ...request.body, sector });
        const operation = 'oidcClient.register';
        const command = {
          operation,
          clientId,
          relyingPartyId,
          settings,
          ...byLinkIn(request.body),
        } as const;
        const submitted = await submitFor(api.submit, request, command);
        if (submitted.kind !== 'EXECUTED' || submitted.result === null) {
          return submittedReply(submitted);
        }
        const view = await readOidcClient(eventStore, clientId);
        return { status: 201, body: { ...madeSecret(submitted.result), ...view } };
      },
    }),
    route({
      ...reads,
      name: 'admin.oidcClients.list',
      summary:
        'List OpenID Connect clients, newest first; search by name, client_id or relying party',
      method: 'GET',
      path: root,
      query: activeListQuery.extend(sortQuery(oidcClientSorts)),
      response: { 200: longListOf(oidcClientView) },
      handle: async ({ query: { q: query, active = null, ...part } }) => {
        const page = await api.oidcClientPage({ query, active, ...part });
        return snapshotAnswer({ ...page, items: page.items.map(oidcClientBody) }, part);
      },
    }),
    route({
      ...reads,
      name: 'admin.oidcClients.show',
      summary: 'Get an OpenID Connect client, now or at an earlier time',
      method: 'GET',
      path: `${root}/:clientId`,
      params,
      query: z.object(asOfQuery),
      response: shown,
      handle: async ({ params: { clientId }, query }) => ({
        body: await readOidcClient(eventStore, clientId, momentOf(query, clock)),
      }),
    }),
    route({
      guard,
      name: 'admin.oidcClients.edit',
      summary: 'Change settings of an OpenID Connect client; omitted settings stay as they are',
      method: 'PATCH',
      path: `${root}/:clientId`,
      params,
      body: edit,
      response: { ...shown, 202: approvalView },
      handle: async (request) => {
        const { principal, context } = request;
        const { clientId } = request.params;
        const changes = changesIn(request.body);
        const { state } = await api.clients.load(clientId);
        if (state.status !== 'NONE' && clientTakesTwo(changes, state)) {
          const command = { operation: 'oidcClient.edit', clientId, changes } as const;
          const submitted = await submitFor(api.submit, request, command);
          if (submitted.kind === 'PENDING') return pendingReply(submitted.approval);
        } else {
          const origin = byOperator(context, principal, clientId);
          await editOidcClient(api, { clientId, changes }, origin);
        }
        return { body: await readOidcClient(eventStore, clientId) };
      },
    }),
    route({
      guard,
      name: 'admin.oidcClients.reactivate',
      summary: 'Reactivate an OpenID Connect client',
      method: 'POST',
      path: `${root}/:clientId/reactivate`,
      params,
      response: shown,
      handle: async ({ principal, params: { clientId }, context }) => {
        await reactivateOidcClient(api, clientId, byOperator(context, principal, clientId));
        return { body: await readOidcClient(eventStore, clientId) };
      },
    }),
    route({
      guard,
      name: 'admin.oidcClients.deactivate',
      summary: 'Deactivate an OpenID Connect client; it is refused and its tokens end',
      method: 'POST',
      path: `${root}/:clientId/deactivate`,
      params,
      body: commentBody,
      response: { 200: doneView, 202: approvalView },
      handle: async (request) => {
        const { clientId } = request.params;
        const command = { operation: 'oidcClient.deactivate', clientId } as const;
        return submittedReply(await submitFor(api.submit, request, command));
      },
    }),
    route({
      guard,
      name: 'admin.oidcClients.rotateSecret',
      summary: 'Issue a new secret, shown only here; the old one ends',
      method: 'POST',
      path: `${root}/:clientId/rotate-secret`,
      params,
      body: commentBody,
      response: { 200: issuedClientSecretView, 202: approvalView },
      handle: async (request) => {
        const { clientId } = request.params;
        const command = { operation: 'oidcClient.rotateSecret', clientId } as const;
        const submitted = await submitFor(api.submit, request, command);
        return submitted.kind === 'EXECUTED' && submitted.result !== null
          ? { body: madeSecret(submitted.result) }
          : submittedReply(submitted);
      },
    }),
    route({
      guard,
      name: 'admin.oidcClients.handOverSecret',
      summary: 'Create a link that gives a new secret to the first person who opens it',
      method: 'POST',
      path: `${root}/:clientId/hand-over-secret`,
      params,
      body: commentBody,
      response: { 200: handOverView, 202: approvalView },
      handle: async (request) => {
        const { clientId } = request.params;
        const command = { operation: 'oidcClient.rotateSecret', clientId, byLink: true } as const;
        const submitted = await submitFor(api.submit, request, command);
        return submitted.kind === 'EXECUTED' && submitted.result !== null
          ? { body: madeSecret(submitted.result), headers: { 'cache-control': 'no-store' } }
          : submittedReply(submitted);
      },
    }),
  ];
}

/** Changes requested by an edit. */
function changesIn(body: z.output<typeof edit>): Partial<OidcClientSettings> {
  const named = Object.entries(body).filter(
    ([setting, value]) => setting !== 'comment' && value !== undefined,
  );
  return Object.fromEntries(named);
}
