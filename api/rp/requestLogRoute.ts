import type { RelyingPartyReferenceData } from '../../application/ports/referenceData.ts';
import type { NotedRequestStore } from '../../application/relyingParty/ports/requestLog.ts';
import { type Route, route } from '../http/route.ts';
import { requestLogAnswer, requestLogBody } from '../schemas/requestLog.ts';
import { relyingPartyGuard } from './guard.ts';

/** Requests of the relying party that asks, and the problem each refused one got. */
export function ownRequestsRoute(
  referenceData: RelyingPartyReferenceData,
  store: Pick<NotedRequestStore, 'of'>,
): Route {
  return route({
    name: 'ownRequests',
    summary: "List this relying party's own requests, with the problem of each refused one",
    method: 'GET',
    path: '/v3/rp/requests',
    guard: relyingPartyGuard(referenceData, null),
    response: { 200: requestLogAnswer },
    handle: async ({ principal: { relyingPartyId } }) => ({
      body: requestLogBody(await store.of(relyingPartyId)),
    }),
  });
}
