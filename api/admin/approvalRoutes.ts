import { z } from 'zod';
import { collectResult } from '../../application/approval/collectResult.ts';
import {
  approve,
  type DecideDependencies,
  type Decider,
  expectAsked,
  reject,
} from '../../application/approval/decideApproval.ts';
import type { ApprovalInbox } from '../../application/approval/ports/approvalInbox.ts';
import { approvalStatuses, type AskedApproval } from '../../domain/approval/approval.ts';
import { type RequestContext, type Route, route } from '../http/route.ts';
import {
  approvalBody,
  type EmailOf,
  inboxSummaryView,
  inboxView,
  summaryBody,
  withPeople,
} from './approvalViews.ts';
import { byOperator, type Operator, type OperatorGuards } from './guard.ts';
import { pageQuery, snapshotAnswer, snapshotListOf } from './paging.ts';
import { madeSecret, issuedSecretResultView } from './issuedSecretResult.ts';

export interface ApprovalApi {
  readonly guards: OperatorGuards;
  readonly inbox: ApprovalInbox;
  readonly deciding: DecideDependencies;
  /** Operators' current e-mails. */
  readonly operatorEmails: () => Promise<EmailOf>;
}

const params = z.object({ id: z.string().max(100).toLowerCase() });
const path = '/v3/admin/approvals';

/** Inbox of four-eyes approvals (specification, Approval request). */
export function approvalRoutes({
  guards,
  inbox,
  deciding,
  operatorEmails,
}: ApprovalApi): readonly Route[] {
  const mayRead = guards.withCapability('audit:read');
  const shown = async (approval: AskedApproval) =>
    withPeople(approvalBody(approval), await operatorEmails());

  return [
    route({
      name: 'admin.approvals.list',
      summary: 'What operators are asked to decide, and were; the newest first',
      method: 'GET',
      path,
      guard: mayRead,
      query: z.object({
        ...pageQuery,
        status: z.enum(approvalStatuses).optional(),
        requestedBy: z.string().min(1).max(100).optional(),
      }),
      response: { 200: snapshotListOf(inboxSummaryView) },
      handle: async ({ query: { limit, offset, snapshot, ...filter } }) => {
        const page = { limit, offset, snapshot };
        const found = await inbox.approvals(filter, page);
        const emailOf = await operatorEmails();
        const items = found.items.map((item) => withPeople(summaryBody(item), emailOf));
        return snapshotAnswer({ ...found, items }, page);
      },
    }),
    route({
      name: 'admin.approvals.get',
      summary: 'One request for approval: the command it holds, what it changes, how it ended',
      method: 'GET',
      path: `${path}/:id`,
      guard: mayRead,
      params,
      response: { 200: inboxView },
      handle: async ({ params: { id } }) => {
        const { state } = await deciding.approvals.load(id);
        return { body: await shown(expectAsked(state)) };
      },
    }),
    route({
      name: 'admin.approvals.approve',
      summary: 'Approves the command and waits for its end; needs the capability of the command',
      method: 'POST',
      path: `${path}/:id/approve`,
      guard: guards.signedIn,
      params,
      response: { 200: inboxView },
      handle: async (request) => ({
        body: await shown(await approve(deciding, deciderOf(request))),
      }),
    }),
    route({
      name: 'admin.approvals.reject',
      summary: 'Rejects the command; needs the capability of the command',
      method: 'POST',
      path: `${path}/:id/reject`,
      guard: guards.signedIn,
      params,
      body: z.object({ reason: z.string().trim().min(1).max(500) }),
      response: { 200: inboxView },
      handle: async (request) => ({
        body: await shown(await reject(deciding, deciderOf(request), request.body.reason)),
      }),
    }),
    route({
      name: 'admin.approvals.collect',
      summary:
        'Carries out an approved rotation; the new secret is told here, once, to who asked for it',
      method: 'POST',
      path: `${path}/:id/collect`,
      guard: guards.signedIn,
      params,
      response: { 200: issuedSecretResultView },
      handle: async ({ params: { id }, principal }) => ({
        body: madeSecret(await collectResult(deciding, id, principal)),
        headers: { 'cache-control': 'no-store' },
      }),
    }),
  ];
}

function deciderOf({
  params: { id },
  principal: operator,
  context,
}: {
  readonly params: { readonly id: string };
  readonly principal: Operator;
  readonly context: RequestContext;
}): Decider {
  return { approvalId: id, operator, context: byOperator(context, operator, id) };
}
