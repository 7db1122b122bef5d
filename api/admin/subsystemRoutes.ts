import { z } from 'zod';
import { administerSubsystem } from '../../application/relyingParty/administration.ts';
import type { SubsystemChange } from '../../domain/relyingParty/subsystems.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { type Reply, type Route, route, type RouteRequest } from '../http/route.ts';
import { byOperator, type Operator, type OperatorGuards } from './guard.ts';
import { listAnswer, listOf, wholePageQuery } from './paging.ts';
import type { RelyingPartyAdminApi } from './relyingPartyRoutes.ts';
import { readRelyingParty, relyingPartyParams, subsystemView } from './relyingPartyViews.ts';
import { visibleText } from '../../domain/shared/requestFields.ts';

const all = '/v3/admin/relying-parties/:id/subsystems';
const one = `${all}/:sid`;

const params = z.object({
  ...relyingPartyParams,
  sid: z.string().transform((text) => {
    if (!/^\d{1,9}$/.test(text)) throw new Refusal('SUBSYSTEM_NOT_FOUND');
    return Number(text);
  }),
});

/** Subsystems of a relying party (specification, Operator API). */
export function subsystemRoutes(
  guards: OperatorGuards,
  api: RelyingPartyAdminApi,
): readonly Route[] {
  const acting = {
    guard: guards.withCapability('rp:write'),
    params,
    response: { 200: subsystemView },
  } as const;

  /** Route that changes a subsystem and responds with its new state. */
  const change =
    <Body>(wishOf: (body: Body) => SubsystemChange) =>
    async (request: RouteRequest<Operator, z.output<typeof params>, unknown, Body>) => {
      const { principal, context, body } = request;
      const { id, sid: number } = request.params;
      const by = byOperator(context, principal, id);
      await administerSubsystem(api, id, { number, change: wishOf(body) }, by);
      const { subsystems } = await readRelyingParty(api.eventStore, id);
      return { body: subsystems[number - 1] ?? {} } satisfies Reply;
    };

  return [
    route({
      name: 'admin.subsystems.list',
      summary: 'List subsystems of a relying party in the order they were first seen',
      method: 'GET',
      path: all,
      guard: guards.withCapability('rp:read'),
      params: z.object(relyingPartyParams),
      query: z.object(wholePageQuery),
      response: { 200: listOf(subsystemView) },
      handle: async ({ params: { id }, query: { limit, offset } }) => {
        const { subsystems } = await readRelyingParty(api.eventStore, id);
        const items = subsystems.slice(offset, offset + limit);
        return listAnswer({ items, total: subsystems.length }, { limit, offset });
      },
    }),
    route({
      ...acting,
      name: 'admin.subsystems.rename',
      summary: 'Set or remove the display name of a subsystem',
      method: 'PATCH',
      path: one,
      body: z.strictObject({ displayName: visibleText(120).nullable() }),
      handle: change(({ displayName }) => ({ type: 'rename', displayName })),
    }),
    route({
      ...acting,
      name: 'admin.subsystems.deactivate',
      summary: 'Block a subsystem; sessions that name it are refused',
      method: 'POST',
      path: `${one}/deactivate`,
      handle: change(() => ({ type: 'deactivate' })),
    }),
    route({
      ...acting,
      name: 'admin.subsystems.activate',
      summary: 'Unblock a subsystem',
      method: 'POST',
      path: `${one}/activate`,
      handle: change(() => ({ type: 'activate' })),
    }),
    route({
      ...acting,
      name: 'admin.subsystems.merge',
      summary: 'Merge a subsystem into another, permanently; its later sessions count for that one',
      method: 'POST',
      path: `${one}/merge`,
      body: z.strictObject({ into: z.int().min(1).max(999_999_999) }),
      handle: change(({ into }) => ({ type: 'merge', into })),
    }),
  ];
}
