import { z } from 'zod';
import type { Submit } from '../../application/approval/submitCommand.ts';
import {
  addOperator,
  changeOperator,
  longestEmail,
  expectOperator,
  type OperatorAdministrationDependencies,
  type OperatorChange,
} from '../../application/operator/administration.ts';
import { longestPassword, shortestPassword } from '../../application/operator/password.ts';
import type { LastSignIns } from '../../application/ports/lastSignIns.ts';
import { operatorRoles } from '../../domain/operator/capabilities.ts';
import type { OperatorRecord } from '../../domain/operator/operators.ts';
import { commandContext } from '../http/guards.ts';
import { type RequestContext, type Route, route } from '../http/route.ts';
import { approvalView, pendingReply } from './approvalViews.ts';
import type { Operator, OperatorGuards } from './guard.ts';
import { listAnswer, listOf, pageQuery } from './paging.ts';
import { comment, submitFor } from './submitting.ts';

const nothing = z.object({});
const byId = z.object({ id: z.string().max(64) });
const role = z.enum(operatorRoles);

/** Neither password nor authenticator. */
const shown = z.strictObject({
  id: z.string(),
  email: z.string(),
  role,
  active: z.boolean(),
  mustChangePassword: z.boolean(),
  secondFactorEnrolled: z.boolean(),
  addedAt: z.iso.datetime(),
  deactivatedAt: z.iso.datetime().nullable(),
});

const listed = shown.extend({ lastSignInAt: z.iso.datetime().nullable() });

export interface AdminRouteDependencies extends OperatorAdministrationDependencies {
  readonly lastSignIns: LastSignIns;
  readonly submit: Submit;
}

/** Operators, as operators with `admin:manage` see and change them. Nobody is ever deleted. */
export function adminRoutes(
  guards: OperatorGuards,
  dependencies: AdminRouteDependencies,
): readonly Route[] {
  const { directory, lastSignIns, submit } = dependencies;
  const guard = guards.withCapability('admin:manage');

  const by = (context: RequestContext, { id }: Operator, about: string) =>
    commandContext(context, { kind: 'operator', id }, about);

  async function changed(
    { principal, context }: { readonly principal: Operator; readonly context: RequestContext },
    id: string,
    change: OperatorChange,
  ) {
    return {
      body: view(await changeOperator(dependencies, id, change, by(context, principal, id))),
    };
  }

  return [
    route({
      name: 'admin.admins.list',
      summary: 'Operators in the order they were added',
      method: 'GET',
      path: '/v3/admin/admins',
      listedUnder: null,
      guard,
      params: nothing,
      query: z.object(pageQuery),
      body: null,
      response: { 200: listOf(listed) },
      handle: async ({ query }) => {
        const all = [...(await directory.current()).values()];
        const page = all.slice(query.offset, query.offset + query.limit);
        const signIns = await lastSignIns.of(page.map(({ operatorId }) => operatorId));
        const items = page.map((operator) => ({
          ...view(operator),
          lastSignInAt: signIns.get(operator.operatorId) ?? null,
        }));
        return listAnswer({ items, total: all.length }, query);
      },
    }),
    route({
      name: 'admin.admins.add',
      summary: 'Add an operator',
      method: 'POST',
      path: '/v3/admin/admins',
      listedUnder: null,
      guard,
      params: nothing,
      query: nothing,
      body: z.object({
        email: z.email().max(longestEmail),
        password: z.string().min(shortestPassword).max(longestPassword),
        role,
        mustChangePassword: z.boolean().default(false),
      }),
      response: { 201: shown },
      handle: async ({ principal, body, context }) => {
        const added = await addOperator(
          dependencies,
          body,
          by(context, principal, context.requestId),
        );
        return { status: 201, body: view(added) };
      },
    }),
    route({
      name: 'admin.admins.changeRole',
      summary: "Change an operator's role; their sessions have it at once",
      method: 'PATCH',
      path: '/v3/admin/admins/:id',
      listedUnder: null,
      guard,
      params: byId,
      query: nothing,
      body: z.object({ role, comment }),
      response: { 200: shown, 202: approvalView },
      handle: async (request) => {
        const { id: operatorId } = request.params;
        const { role: wanted } = request.body;
        const command = { operation: 'operator.changeRole', operatorId, role: wanted } as const;
        const submitted = await submitFor(submit, request, command);
        return submitted.kind === 'PENDING'
          ? pendingReply(submitted.approval)
          : { body: view(expectOperator((await directory.current()).get(operatorId))) };
      },
    }),
    route({
      name: 'admin.admins.deactivate',
      summary: 'End the access of an operator for good',
      method: 'POST',
      path: '/v3/admin/admins/:id/deactivate',
      listedUnder: null,
      guard,
      params: byId,
      query: nothing,
      body: null,
      response: { 200: shown },
      handle: (request) => changed(request, request.params.id, { type: 'DeactivateOperator' }),
    }),
    route({
      name: 'admin.admins.resetSecondFactor',
      summary: 'Let an operator who lost the authenticator enrol another at the next sign-in',
      method: 'POST',
      path: '/v3/admin/admins/:id/reset-second-factor',
      listedUnder: null,
      guard,
      params: byId,
      query: nothing,
      body: null,
      response: { 200: shown },
      handle: (request) => changed(request, request.params.id, { type: 'ResetSecondFactor' }),
    }),
  ];
}

function view(operator: OperatorRecord): z.infer<typeof shown> {
  const { operatorId: id, email, role: current, active, mustChangePassword } = operator;
  const { secondFactor, addedAt, deactivatedAt } = operator;
  return {
    ...{ id, email, role: current, active, mustChangePassword },
    ...{ secondFactorEnrolled: secondFactor !== null, addedAt, deactivatedAt },
  };
}
