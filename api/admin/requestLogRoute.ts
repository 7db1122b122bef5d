import { z } from 'zod';
import type { EventStore } from '../../application/ports/eventStore.ts';
import type { NotedRequestStore } from '../../application/relyingParty/ports/requestLog.ts';
import { type Route, route } from '../http/route.ts';
import { requestLogAnswer, requestLogBody } from '../schemas/requestLog.ts';
import type { OperatorGuards } from './guard.ts';
import { readRelyingParty, relyingPartyParams } from './relyingPartyViews.ts';

/** Use of the API by a relying party, and its refused requests with the problem of each. */
export function requestLogRoute(
  guards: OperatorGuards,
  {
    eventStore,
    store,
  }: {
    readonly eventStore: Pick<EventStore, 'read'>;
    readonly store: Pick<NotedRequestStore, 'of'>;
  },
): Route {
  return route({
    guard: guards.withCapability('rp:read'),
    name: 'admin.relyingParties.requests',
    summary: 'List recent requests of a relying party, with the problem of each refused one',
    method: 'GET',
    path: '/v3/admin/relying-parties/:id/requests',
    params: z.object(relyingPartyParams),
    response: { 200: requestLogAnswer },
    handle: async ({ params: { id } }) => {
      await readRelyingParty(eventStore, id);
      return { body: requestLogBody(await store.of(id)) };
    },
  });
}
