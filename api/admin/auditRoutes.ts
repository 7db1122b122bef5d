import { z } from 'zod';
import type { AuditExport } from './ports/auditExport.ts';
import type {
  AuditChanges,
  AuditEntry,
  AuditFilter,
  AuditTrail,
} from '../../application/audit/ports/auditTrail.ts';
import { auditEventTypes } from '../../domain/events.ts';
import { capabilities } from '../../domain/operator/capabilities.ts';
import { personEtsi } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { moment } from '../schemas/answers.ts';
import type { Names } from '../../projections/names.ts';
import { viewBy } from '../http/handling.ts';
import { type Route, route } from '../http/route.ts';
import type { OperatorGuards } from './guard.ts';
import { aboutOne, idNamed, named, withNames } from './names.ts';
import { listAnswer, longListOf, sortQuery, wholePageQuery } from './paging.ts';

export interface AuditRouteDependencies {
  readonly guards: OperatorGuards;
  readonly names: Names;
  readonly auditTrail: AuditTrail;
  readonly auditChanges: AuditChanges;
  readonly auditExport: AuditExport;
  /** Streams the raw events after this position as JSON Lines; null: all. */
  readonly exportEvents: (after: bigint | null) => Promise<AsyncIterable<Uint8Array>>;
}

const identifier = z.string().min(1).max(200);
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const details = z.record(z.string(), z.unknown());

const filterQuery = {
  type: z.enum(auditEventTypes).optional(),
  subject: identifier
    .optional()
    .meta({ description: 'Id or name; a citizen includes everything that belongs to them' }),
  actor: identifier.optional().meta({ description: 'Id, name or e-mail' }),
  outcome: z.enum(['OK', 'DENIED']).optional(),
  reads: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ description: 'False to leave out what operators read' }),
  from: time.optional(),
  to: time.optional(),
};

const entry = z.strictObject({
  eventId: z.uuid(),
  position: z.string().meta({ description: 'Position in the log, decimal' }),
  at: moment,
  type: z.enum(auditEventTypes),
  outcome: z.enum(['OK', 'DENIED']),
  actor: z.strictObject({ kind: z.string(), id: z.string() }),
  capability: z.enum(capabilities).nullable(),
  subject: z.string(),
  person: z.string().nullable(),
  requestId: z.string().nullable(),
  ip: z.string().nullable(),
  details,
});

const changed = z.strictObject({
  ...entry.shape,
  before: details.nullable(),
  after: details.nullable(),
});

/** Pin of the audit: the position of its newest event when its first page was read. */
const positionSnapshot = z
  .string()
  .regex(/^\d{1,18}$/)
  .transform((text) => BigInt(text))
  .optional();

/** Audit trail, read and exported by operators with `audit:read`. */
export function auditRoutes(dependencies: AuditRouteDependencies): readonly Route[] {
  const { guards, names, auditTrail, auditChanges, auditExport, exportEvents } = dependencies;
  const guard = guards.withCapability('audit:read');

  /** The filter with ids where it has names and e-mails. */
  async function byId(filter: AuditFilter): Promise<AuditFilter> {
    const { subject, actor } = filter;
    const idOf = async (text: string | undefined, pointer: string) =>
      text === undefined ? undefined : idNamed(names, { text, pointer });
    return {
      ...filter,
      subject: await idOf(subject, '#/query/subject'),
      // Citizens act by the civil id alone.
      actor: (await idOf(actor, '#/query/actor'))?.replace(personEtsi(''), ''),
    };
  }

  return [
    route({
      name: 'admin.audit.list',
      summary: 'List audit entries of actions and refusals, newest first by default',
      method: 'GET',
      path: '/v3/admin/audit',
      guard,
      query: z.object({
        ...filterQuery,
        ...wholePageQuery,
        ...sortQuery({ at: true }),
        snapshot: positionSnapshot,
      }),
      response: { 200: named(longListOf(entry)) },
      handle: async ({ query: { limit, offset, sort, snapshot: upTo, ...wished } }) => {
        const filter = await byId(wished);
        const page = { limit, offset, upTo, isAscending: sort?.isDescending === false };
        const { items, snapshot, ...extent } = await auditTrail.auditEntries(filter, page);
        const { body } = listAnswer({ items: items.map(view), ...extent }, page);
        const shown = { ...body, snapshot: snapshot === null ? null : String(snapshot) };
        return { body: await withNames(names, shown), ...aboutPerson(filter.subject ?? null) };
      },
    }),
    route({
      name: 'admin.audit.export',
      summary: 'Export the audit as CSV, oldest first',
      method: 'GET',
      path: '/v3/admin/audit/export',
      guard,
      underLoad: 'refuseFirst',
      streamsAtOnce: 4,
      discloses: true,
      query: z.object(filterQuery),
      response: { 200: 'text/csv' },
      handle: async ({ query }) => ({
        stream: await auditExport.csv(given(await byId(query))),
        contentType: 'text/csv; charset=utf-8; header=present',
        headers: attachment(
          query.reads === false ? 'audit-codes-without-reads.csv' : 'audit-codes.csv',
        ),
      }),
    }),
    route({
      name: 'admin.audit.events',
      summary: 'Export the raw events of the log as JSON Lines, for auditors',
      method: 'GET',
      path: '/v3/admin/audit/events',
      guard,
      underLoad: 'refuseFirst',
      streamsAtOnce: 2,
      discloses: true,
      query: z.object({
        after: z
          .string()
          .regex(/^\d{1,19}$/)
          .optional(),
      }),
      response: { 200: 'application/jsonl' },
      handle: async ({ query: { after } }) => ({
        stream: await exportEvents(after === undefined ? null : BigInt(after)),
        contentType: 'application/jsonl; charset=utf-8',
        headers: attachment('events.jsonl'),
      }),
    }),
    route({
      name: 'admin.audit.read',
      summary: 'Get an audit entry with its changes',
      method: 'GET',
      path: '/v3/admin/audit/:eventId',
      guard,
      params: z.object({ eventId: z.uuid().toLowerCase() }),
      response: { 200: named(changed) },
      handle: async ({ params: { eventId } }) => {
        const found = await auditTrail.auditEntry(eventId);
        if (found === null) throw new Refusal('NOT_FOUND');
        const body = { ...view(found), ...(await auditChanges(found)) };
        return { body: await withNames(names, body), ...aboutOne([found.person]) };
      },
    }),
  ];
}

/** Disclosure about the person a list was filtered by. */
function aboutPerson(subject: string | null): { readonly about?: string } {
  return subject?.startsWith(personEtsi('')) === true ? aboutOne([subject]) : {};
}

const viewOf = viewBy(entry);

function view(shown: AuditEntry) {
  return viewOf(shown, { position: shown.position.toString(), at: shown.at.toISOString() });
}

/** Filter without its absent fields. */
function given(filter: AuditFilter): AuditFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

function attachment(fileName: string) {
  return { 'content-disposition': `attachment; filename="${fileName}"` };
}
