import { z } from 'zod';
import {
  type ReviewsNewOperator,
  unreviewedRole,
} from '../../application/approval/operatorOperations.ts';
import type { Submit } from '../../application/approval/submitCommand.ts';
import {
  addOperator,
  expectOperator,
  type OperatorAdministrationDependencies,
} from '../../application/operator/administration.ts';
import { longestPassword, shortestPassword } from '../../application/operator/password.ts';
import type { ListSort } from '../../application/ports/listSnapshot.ts';
import type { LastSignIns } from '../../projections/lastSignIns.ts';
import type { OperatorRecord } from '../../domain/operator/operators.ts';
import { operatorSettings, settingsIn } from '../../domain/operator/settings.ts';
import { partOf } from '../../domain/shared/settings.ts';
import { commandContext } from '../http/handling.ts';
import { type RequestContext, type Route, route } from '../http/route.ts';
import { approvalView, pendingReply } from './approvalRoutes.ts';
import type { Operator, OperatorGuards } from './guard.ts';
import { listAnswer, listOf, sortQuery, wholePageQuery } from './paging.ts';
import { comment, commentBody, type Submission, submitFor } from './submitting.ts';

const byId = z.object({ id: z.string().max(64) });
const { email, ...others } = partOf(operatorSettings, 'request');

/** Operator without password and authenticator. */
const shown = z.strictObject({
  id: z.string(),
  ...partOf(operatorSettings, 'answer'),
  active: z.boolean(),
  mustChangePassword: z.boolean(),
  secondFactorEnrolled: z.boolean(),
  addedAt: z.iso.datetime(),
  deactivatedAt: z.iso.datetime().nullable(),
});

const listed = shown.extend({ lastSignInAt: z.iso.datetime().nullable() });

type Listed = z.infer<typeof listed>;

/** Operators sorted by a column of their list; of equal values, in the order they were added. */
function inOrder(operators: readonly Listed[], sort: ListSort | undefined): readonly Listed[] {
  if (sort === undefined) return operators;
  const valueOf = (operator: Listed) => String(operator[sort.by as keyof Listed] ?? '');
  const way = sort.isDescending ? -1 : 1;
  return operators.toSorted((one, other) => {
    const [first, second] = [valueOf(one), valueOf(other)];
    return first === second ? 0 : first < second ? -way : way;
  });
}

export interface AdminRouteDependencies extends OperatorAdministrationDependencies {
  readonly lastSignIns: LastSignIns;
  readonly submit: Submit;
  readonly reviewsNew: ReviewsNewOperator;
}

/** Operators, for operators with `admin:manage`. None is ever deleted. */
export function adminRoutes(
  guards: OperatorGuards,
  dependencies: AdminRouteDependencies,
): readonly Route[] {
  const { directory, lastSignIns, submit, reviewsNew } = dependencies;
  const guard = guards.withCapability('admin:manage');

  const by = (context: RequestContext, { id }: Operator, about: string) =>
    commandContext(context, { kind: 'operator', id }, about);

  async function shownAs(id: string) {
    return view(expectOperator((await directory.current()).get(id)));
  }

  async function changed(
    request: Submission & { readonly params: { readonly id: string } },
    operation: 'operator.deactivate' | 'operator.resetSecondFactor',
  ) {
    const { id: operatorId } = request.params;
    const submitted = await submitFor(submit, request, { operation, operatorId });
    return submitted.kind === 'PENDING'
      ? pendingReply(submitted.approval)
      : { body: await shownAs(operatorId) };
  }

  return [
    route({
      name: 'admin.admins.list',
      summary: 'List operators, by default in the order they were added',
      method: 'GET',
      path: '/v3/admin/admins',
      guard,
      query: z.object({ ...wholePageQuery, ...sortQuery(listed.shape) }),
      response: { 200: listOf(listed) },
      handle: async ({ query }) => {
        const all = [...(await directory.current()).values()];
        const signIns = await lastSignIns.of(all.map(({ operatorId }) => operatorId));
        const shown = all.map((operator) => ({
          ...view(operator),
          lastSignInAt: signIns.get(operator.operatorId) ?? null,
        }));
        const items = inOrder(shown, query.sort).slice(query.offset, query.offset + query.limit);
        return listAnswer({ items, total: all.length }, query);
      },
    }),
    route({
      name: 'admin.admins.add',
      summary: `Add an operator; a role that can approve commands needs another approval, until then ${unreviewedRole}`,
      method: 'POST',
      path: '/v3/admin/admins',
      guard,
      body: z.object({
        email,
        password: z.string().min(shortestPassword).max(longestPassword),
        ...others,
        mustChangePassword: z.boolean().default(false),
        comment,
      }),
      response: { 201: shown, 202: approvalView },
      handle: async (request) => {
        const { principal, body, context } = request;
        const { role: wanted } = body;
        const isReviewed = await reviewsNew(wanted, principal.id);
        const added = await addOperator(
          dependencies,
          { ...body, role: isReviewed ? unreviewedRole : wanted },
          by(context, principal, context.requestId),
        );
        if (!isReviewed) return { status: 201, body: view(added) };
        const { operatorId } = added;
        const command = { operation: 'operator.changeRole', operatorId, role: wanted } as const;
        const submitted = await submitFor(submit, request, command);
        return submitted.kind === 'PENDING'
          ? pendingReply(submitted.approval)
          : {
              status: 201,
              body: await shownAs(operatorId),
            };
      },
    }),
    route({
      name: 'admin.admins.changeRole',
      summary: "Change an operator's role, with immediate effect on their sessions",
      method: 'PATCH',
      path: '/v3/admin/admins/:id',
      guard,
      params: byId,
      body: z.object({ role: operatorSettings.role.request, comment }),
      response: { 200: shown, 202: approvalView },
      handle: async (request) => {
        const { id: operatorId } = request.params;
        const { role: wanted } = request.body;
        const command = { operation: 'operator.changeRole', operatorId, role: wanted } as const;
        const submitted = await submitFor(submit, request, command);
        return submitted.kind === 'PENDING'
          ? pendingReply(submitted.approval)
          : { body: await shownAs(operatorId) };
      },
    }),
    route({
      name: 'admin.admins.deactivate',
      summary: "End an operator's access for good",
      method: 'POST',
      path: '/v3/admin/admins/:id/deactivate',
      guard,
      params: byId,
      body: commentBody,
      response: { 200: shown, 202: approvalView },
      handle: (request) => changed(request, 'operator.deactivate'),
    }),
    route({
      name: 'admin.admins.resetSecondFactor',
      summary: 'Let an operator enrol a new authenticator at the next sign-in',
      method: 'POST',
      path: '/v3/admin/admins/:id/reset-second-factor',
      guard,
      params: byId,
      body: commentBody,
      response: { 200: shown, 202: approvalView },
      handle: (request) => changed(request, 'operator.resetSecondFactor'),
    }),
  ];
}

function view(operator: OperatorRecord): z.infer<typeof shown> {
  const { operatorId: id, active, mustChangePassword } = operator;
  const { secondFactor, addedAt, deactivatedAt } = operator;
  return {
    id,
    ...settingsIn(operator),
    active,
    mustChangePassword,
    secondFactorEnrolled: secondFactor !== null,
    addedAt,
    deactivatedAt,
  };
}
