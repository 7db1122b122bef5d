import { z } from 'zod';
import { takesTwo } from '../../application/approval/relyingPartyOperations.ts';
import type { Submit } from '../../application/approval/submitCommand.ts';
import {
  editRelyingParty,
  type RelyingPartyDependencies,
} from '../../application/relyingParty/administration.ts';
import type { EventStore } from '../../application/ports/eventStore.ts';
import type { RelyingPartyData } from '../../application/ports/referenceData.ts';
import {
  relyingPartySettings,
  settingsIn,
  type RelyingPartySettings,
} from '../../domain/relyingParty/settings.ts';
import { optionalRequests, partOf } from '../../domain/shared/settings.ts';
import { type RelyingPartyFilter, relyingPartySorts } from '../../projections/relyingParties.ts';
import { type Route, route } from '../http/route.ts';
import { approvalView, pendingReply, submittedReply } from './approvalRoutes.ts';
import { asOfQuery, momentOf } from './asOf.ts';
import { byOperator, type OperatorGuards } from './guard.ts';
import {
  activeListQuery,
  type ListingWithSnapshot,
  longListOf,
  snapshotAnswer,
  sortQuery,
} from './paging.ts';
import { byLink, byLinkIn, handOverView, madeSecret } from './issuedSecretResult.ts';
import {
  issuedSecretView,
  listedRelyingParty,
  readRelyingParty,
  relyingPartyListed,
  relyingPartyView,
  relyingPartyParams,
} from './relyingPartyViews.ts';
import { comment, commentBody, submitFor } from './submitting.ts';

export interface RelyingPartyAdminApi extends RelyingPartyDependencies {
  readonly submit: Submit;
  readonly eventStore: Pick<EventStore, 'read'>;
  relyingPartyPage(filter: RelyingPartyFilter): Promise<ListingWithSnapshot<RelyingPartyData>>;
}

const root = '/v3/admin/relying-parties';

const party = z.object(relyingPartyParams);

const { name, ...others } = relyingPartySettings;
const settings = { relyingPartyName: name.request, ...partOf(others, 'request') };
const registration = z.strictObject({ ...settings, ...optionalRequests(others), byLink, comment });
const edit = z.strictObject({ ...settings, comment }).partial();

/** Relying parties (specification, Operator API); deactivation is a sensitive command and elsewhere. */
export function relyingPartyRoutes(
  guards: OperatorGuards,
  api: RelyingPartyAdminApi,
): readonly Route[] {
  const { eventStore, clock } = api;
  const reads = { guard: guards.withCapability('rp:read') } as const;
  const guard = guards.withCapability('rp:write');
  const shown = { 200: relyingPartyView };

  return [
    route({
      guard,
      name: 'admin.relyingParties.register',
      summary:
        'Register a relying party; its API secret, or a link to it, is shown once, to the operator who asked',
      method: 'POST',
      path: root,
      body: registration,
      response: {
        201: z.union([
          issuedSecretView.extend(relyingPartyView.shape),
          handOverView.extend(relyingPartyView.shape),
        ]),
        202: approvalView,
      },
      handle: async (request) => {
        const settings = settingsIn({ ...request.body, name: request.body.relyingPartyName });
        const relyingPartyId = api.randomness.uuid();
        const operation = 'relyingParty.register';
        const command = { operation, relyingPartyId, settings, ...byLinkIn(request.body) } as const;
        const submitted = await submitFor(api.submit, request, command);
        if (submitted.kind !== 'EXECUTED' || submitted.result === null) {
          return submittedReply(submitted);
        }
        const view = await readRelyingParty(eventStore, relyingPartyId);
        return { status: 201, body: { ...madeSecret(submitted.result), ...view } };
      },
    }),
    route({
      ...reads,
      name: 'admin.relyingParties.list',
      summary: 'List relying parties, newest first by default',
      method: 'GET',
      path: root,
      query: activeListQuery.extend(sortQuery(relyingPartySorts)),
      response: { 200: longListOf(relyingPartyListed) },
      handle: async ({ query: { q: query, active = null, ...part } }) => {
        const page = await api.relyingPartyPage({ query, active, ...part });
        const items = page.items.map(listedRelyingParty);
        return snapshotAnswer({ ...page, items }, part);
      },
    }),
    route({
      ...reads,
      name: 'admin.relyingParties.show',
      summary: 'Get a relying party with its subsystems, now or at an earlier time',
      method: 'GET',
      path: `${root}/:id`,
      params: party,
      query: z.object(asOfQuery),
      response: shown,
      handle: async ({ params, query }) => ({
        body: await readRelyingParty(eventStore, params.id, momentOf(query, clock)),
      }),
    }),
    route({
      guard,
      name: 'admin.relyingParties.edit',
      summary: 'Change settings of a relying party; omitted settings stay as they are',
      method: 'PATCH',
      path: `${root}/:id`,
      params: party,
      body: edit,
      response: { ...shown, 202: approvalView },
      handle: async (request) => {
        const { principal, params, context } = request;
        const { id: relyingPartyId } = params;
        const changes = changesIn(request.body);
        const { state } = await api.relyingParties.load(relyingPartyId);
        if (state.status !== 'NONE' && takesTwo(changes, state)) {
          const command = { operation: 'relyingParty.edit', relyingPartyId, changes } as const;
          const submitted = await submitFor(api.submit, request, command);
          if (submitted.kind === 'PENDING') return pendingReply(submitted.approval);
        } else {
          const origin = byOperator(context, principal, relyingPartyId);
          await editRelyingParty(api, relyingPartyId, changes, origin);
        }
        return { body: await readRelyingParty(eventStore, relyingPartyId) };
      },
    }),
    route({
      guard,
      name: 'admin.relyingParties.reactivate',
      summary: 'Reactivate a relying party',
      method: 'POST',
      path: `${root}/:id/reactivate`,
      params: party,
      body: commentBody,
      response: { ...shown, 202: approvalView },
      handle: async (request) => {
        const { id: relyingPartyId } = request.params;
        const command = { operation: 'relyingParty.reactivate', relyingPartyId } as const;
        const submitted = await submitFor(api.submit, request, command);
        return submitted.kind === 'PENDING'
          ? pendingReply(submitted.approval)
          : { body: await readRelyingParty(eventStore, relyingPartyId) };
      },
    }),
    route({
      guard,
      name: 'admin.relyingParties.rotateSecret',
      summary: 'Issue a new API secret, shown only here; the old one ends',
      method: 'POST',
      path: `${root}/:id/rotate-secret`,
      params: party,
      body: commentBody,
      response: { 200: issuedSecretView, 202: approvalView },
      handle: async (request) => {
        const { id: relyingPartyId } = request.params;
        const command = { operation: 'relyingParty.rotateSecret', relyingPartyId } as const;
        const submitted = await submitFor(api.submit, request, command);
        return submitted.kind === 'EXECUTED' && submitted.result !== null
          ? { body: madeSecret(submitted.result) }
          : submittedReply(submitted);
      },
    }),
    route({
      guard,
      name: 'admin.relyingParties.handOverSecret',
      summary: 'Create a link that gives a new API secret to the first person who opens it',
      method: 'POST',
      path: `${root}/:id/hand-over-secret`,
      params: party,
      body: commentBody,
      response: { 200: handOverView, 202: approvalView },
      handle: async (request) => {
        const { id: relyingPartyId } = request.params;
        const operation = 'relyingParty.rotateSecret';
        const command = { operation, relyingPartyId, byLink: true } as const;
        const submitted = await submitFor(api.submit, request, command);
        return submitted.kind === 'EXECUTED' && submitted.result !== null
          ? { body: madeSecret(submitted.result), headers: { 'cache-control': 'no-store' } }
          : submittedReply(submitted);
      },
    }),
  ];
}

/** Changes requested by an edit. */
function changesIn({
  relyingPartyName: name,
  ...rest
}: z.output<typeof edit>): Partial<RelyingPartySettings> {
  const named = Object.entries({ name, ...rest }).filter(
    ([setting, value]) => setting !== 'comment' && value !== undefined,
  );
  return Object.fromEntries(named);
}
