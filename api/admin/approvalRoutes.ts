import { z } from 'zod';
import { approvalSorts } from '../../projections/approvals.ts';
import { collectResult } from '../../application/approval/collectResult.ts';
import {
  approve,
  type DecideDependencies,
  type Decider,
  expectAsked,
  reject,
} from '../../application/approval/decideApproval.ts';
import type {
  ApprovalFilter,
  ApprovalInbox,
  ApprovalSummary,
} from '../../application/approval/ports/approvalInbox.ts';
import { approvalStatuses, type AskedApproval } from '../../domain/approval/approval.ts';
import type { Names } from '../../projections/names.ts';
import { viewBy } from '../http/handling.ts';
import { type Reply, type RequestContext, type Route, route } from '../http/route.ts';
import { byOperator, type Operator, type OperatorGuards } from './guard.ts';
import { named, withNames } from './names.ts';
import { clientKey } from './oidcClientViews.ts';
import { searchText } from './search.ts';
import { longListOf, pageQuery, snapshotAnswer, sortQuery } from './paging.ts';
import { issuedSecretResultView, madeSecret } from './issuedSecretResult.ts';
import { type SensitiveCommand, verifiedCommand } from '../../application/approval/operations.ts';
import type { OperatorDirectory } from '../../application/operator/operators.ts';
import type { Submitted } from '../../application/approval/submitCommand.ts';
import { executions, sensitiveOperations } from '../../domain/approval/events.ts';
import { oidcClientSettings, type OidcClientSettings } from '../../domain/oidcClient/settings.ts';
import { relyingPartySettings } from '../../domain/relyingParty/settings.ts';
import { personEtsi } from '../../domain/shared/etsi.ts';
import type { Shape } from '../../domain/shared/eventFields.ts';
import { partOf } from '../../domain/shared/settings.ts';
import { capabilities, hasCapability, operatorRoles } from '../../domain/operator/capabilities.ts';

export interface ApprovalApi {
  readonly guards: OperatorGuards;
  readonly names: Names;
  readonly inbox: ApprovalInbox;
  readonly deciding: DecideDependencies;
  readonly operators: Pick<OperatorDirectory, 'current'>;
}

const params = z.object({ id: z.string().max(100).toLowerCase() });
const path = '/v3/admin/approvals';
/** Things of a kind and a name that are looked for. */
const NAMESAKES = 100;

/** Inbox of four-eyes approvals (specification, Approval request). */
export function approvalRoutes({
  guards,
  names,
  inbox,
  deciding,
  operators,
}: ApprovalApi): readonly Route[] {
  const operatorEmails = async (): Promise<EmailOf> => {
    const known = await operators.current();
    return (id) => known.get(id)?.email ?? null;
  };
  const mayRead = guards.withCapability('audit:read');
  const shown = async (approval: AskedApproval) =>
    withPeople(approvalBody(approval), await operatorEmails());

  async function about(q: string): Promise<NonNullable<ApprovalFilter['about']>> {
    const [found, asked] = await Promise.all([
      names.find(q, NAMESAKES, 'byPart'),
      names.askedFor(q),
    ]);
    const citizens = found.filter(({ kind }) => kind === 'citizen');
    return {
      ids: [q.toLowerCase(), ...found.map(({ id }) => id), ...asked],
      civilIds: citizens.map(({ id }) => id.slice(personEtsi('').length)),
    };
  }

  return [
    route({
      name: 'admin.approvals.list',
      isPolled: true,
      summary: 'List requests for approval, open and decided, newest first',
      method: 'GET',
      path,
      guard: mayRead,
      query: z.object({
        ...pageQuery,
        ...sortQuery(approvalSorts),
        status: z.enum(approvalStatuses).optional(),
        requestedBy: z.string().min(1).max(100).optional(),
        subject: z.string().min(1).max(200).optional(),
        decidable: z
          .enum(['true'])
          .optional()
          .meta({ description: 'Only requests that the caller may decide' }),
        q: searchText.meta({
          description:
            'Name, e-mail or identifier of the subject (also of one that is to be registered), its owner, or the operator who asked',
        }),
      }),
      response: { 200: named(longListOf(inboxSummaryView)) },
      handle: async ({
        query: { limit, offset, snapshot, sort, q, decidable, ...wished },
        principal: { id: by, role },
      }) => {
        const page = { limit, offset, snapshot, sort };
        const may = capabilities.filter((each) => hasCapability(role, each));
        const filter = {
          ...wished,
          ...(decidable !== undefined && { decidable: { by, capabilities: may } }),
          ...(q !== null && { about: await about(q) }),
        };
        const found = await inbox.approvals(filter, page);
        const emailOf = await operatorEmails();
        const items = found.items.map((item) => withPeople(summaryBody(item), emailOf));
        const { body } = snapshotAnswer({ ...found, items }, page);
        return { body: await withNames(names, body) };
      },
    }),
    route({
      name: 'admin.approvals.get',
      isPolled: true,
      summary: 'Get a request for approval: its command, what it changes, how it ended',
      method: 'GET',
      path: `${path}/:id`,
      guard: mayRead,
      params,
      response: { 200: named(inboxView) },
      handle: async ({ params: { id } }) => {
        const { state } = await deciding.approvals.load(id);
        return { body: await withNames(names, await shown(expectAsked(state))) };
      },
    }),
    route({
      name: 'admin.approvals.approve',
      summary: 'Approve the command and wait until it ends; needs the capability of the command',
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
      summary: 'Reject the command; needs the capability of the command',
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
        'Carry out an approved rotation; the new secret is shown here once, to the operator who asked',
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

const time = z.iso.datetime();
const effects = z
  .array(z.strictObject({ target: z.string(), before: z.string(), after: z.string() }))
  .readonly();

const summaryShape = {
  id: z.uuid(),
  status: z.enum(approvalStatuses),
  operation: z.enum(sensitiveOperations),
  capability: z.string(),
  subject: z.string(),
  effects,
  commandHash: z.string(),
  requestedBy: z.string(),
  requestedAt: time,
  expiresAt: time,
  decidedBy: z.string().nullable(),
  decidedAt: time.nullable(),
  endedAt: time.nullable(),
  code: z.string().nullable(),
};

/** An approval in lists. */
const approvalSummaryView = z.strictObject(summaryShape);

/** E-mails of the operators who requested and decided; null: none, or without an e-mail. */
const people = {
  requestedByEmail: z.string().nullable(),
  decidedByEmail: z.string().nullable(),
};

/** An approval in the inbox. */
const inboxSummaryView = approvalSummaryView.extend(people);

const name = z.string();

/** The same fields, lists marked as read-only. */
function readOnlyLists<Of extends Shape>(shape: Of): Of {
  const fields = Object.entries(shape).map(([field, schema]) => [
    field,
    schema instanceof z.ZodArray ? schema.readonly() : schema,
  ]);
  return Object.fromEntries(fields) as Of;
}

const ofRelyingParty = readOnlyLists(partOf(relyingPartySettings, 'answer'));
const ofClient = readOnlyLists(partOf(oidcClientSettings, 'answer'));
/** Settings that are registered, or that an edit changes: of a relying party, or of an OpenID Connect client. */
const settings = z
  .strictObject({ ...ofRelyingParty, ...ofClient, keys: z.array(clientKey).readonly() })
  .partial();

/** Fields of commands: each command has some of these; none is secret. */
const commandView = z
  .strictObject({
    serial: name,
    documentNumber: name,
    relyingPartyId: name,
    register: name,
    aliases: z.array(name).readonly(),
    otherNames: z.boolean(),
    byLink: z.boolean(),
    settings,
    changes: settings,
    clientId: name,
    readModel: name,
    eventId: name,
    digest: name,
    operatorId: name,
    civilId: name,
    role: z.enum(operatorRoles),
    reason: z.int(),
    prompt: name,
    articleId: name,
    change: name,
    title: name,
    content: z.string(),
    tags: z.array(z.string()).readonly(),
    language: name,
    source: name.nullable(),
    expected: z.int().nullable(),
  })
  .partial();

/** An approval with its command and the operators' comments. */
export const approvalView = z.strictObject({
  ...summaryShape,
  execution: z.enum(executions).meta({
    description:
      'AT_ONCE: on approval. BY_REQUESTER: when the requester collects the secret it makes',
  }),
  command: commandView,
  comment: z.string().nullable(),
  reason: z.string().nullable(),
});

/** A single approval, for the operator who decides. */
const inboxView = approvalView.extend(people);

/** Result of a sensitive command that needed no approval, or changed nothing. */
export const doneView = z.strictObject({
  status: z.enum(['EXECUTED', 'UNCHANGED']),
  operation: z.enum(sensitiveOperations),
  subject: z.string(),
  effects,
});

/** E-mail of an operator by id; null: unknown. */
type EmailOf = (operatorId: string) => string | null;

/** Adds the e-mails of the operators who requested and decided. */
function withPeople<
  Body extends { readonly requestedBy: string; readonly decidedBy: string | null },
>(body: Body, emailOf: EmailOf) {
  const { requestedBy, decidedBy } = body;
  return {
    ...body,
    requestedByEmail: emailOf(requestedBy),
    decidedByEmail: decidedBy === null ? null : emailOf(decidedBy),
  };
}

const summaryOf = viewBy(approvalSummaryView);

function summaryBody(summary: ApprovalSummary) {
  return summaryOf(summary, { id: summary.approvalId });
}

/** A command with the public keys of a client as the API answers them. */
function shownCommand(command: SensitiveCommand) {
  switch (command.operation) {
    case 'oidcClient.edit':
      return { ...command, changes: withShownKeys(command.changes) };
    case 'oidcClient.register':
      return { ...command, settings: withShownKeys(command.settings) };
    default:
      return command;
  }
}

function withShownKeys({ keys, ...settings }: Partial<OidcClientSettings>) {
  return keys === undefined
    ? settings
    : { ...settings, keys: keys.map((key) => clientKey.parse(key)) };
}

export function approvalBody({ status, requested, decision, endedAt, code }: AskedApproval) {
  const { operation, ...command } = shownCommand(verifiedCommand(requested));
  return {
    ...summaryBody({
      ...requested,
      operation,
      status,
      endedAt,
      code,
      decidedBy: decision?.by ?? null,
      decidedAt: decision?.at ?? null,
    }),
    execution: requested.execution,
    command,
    comment: requested.comment,
    reason: decision?.reason ?? null,
  } satisfies z.input<typeof approvalView>;
}

/** Reply while an approval is pending. */
export function pendingReply(approval: AskedApproval): Reply {
  const body = approvalBody(approval);
  return { status: 202, body, headers: { location: `/v3/admin/approvals/${body.id}` } };
}

/** Reply to a sensitive command. */
export function submittedReply(submitted: Submitted): Reply {
  if (submitted.kind === 'PENDING') return pendingReply(submitted.approval);
  const { kind: status, operation, plan } = submitted;
  const body = { status, operation, subject: plan.subject, effects: plan.effects };
  return { body: body satisfies z.input<typeof doneView> };
}
