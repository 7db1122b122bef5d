import { type Kysely, type Selectable, sql } from 'kysely';
import type {
  AuditEntry,
  AuditFilter,
  AuditTrail,
} from '../../application/audit/ports/auditTrail.ts';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import type { Database } from '../database.ts';
import type { AuditRow, AuditTable } from './audit.ts';
import { auditCondition } from './conditions.ts';
import { personOf } from './personOf.ts';
import { createRanks } from './ranks.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Queries over the audit.
 *
 * @param vault opens IP addresses
 * @param archived looks up the row of an archived event
 * @param countWithinMs time a request waits for the number of matches, ms; after it, the answer has none that is exact
 */
export function createAuditTrail(
  database: Kysely<Database>,
  vault: Pick<PersonalDataVault, 'decryptAddress'>,
  archived: (eventId: string) => Promise<AuditRow | null> = () => Promise.resolve(null),
  countWithinMs?: number,
): AuditTrail {
  const ranks = createRanks(database, countWithinMs);
  const entryOf = async (row: ShownRow): Promise<AuditEntry> => ({
    ...shown(row),
    ip: await vault.decryptAddress(row.ip),
  });
  return {
    async auditEntries(filter, { limit, offset, upTo, isAscending = false }) {
      const condition = await auditCondition(database, filter);
      const snapshot = upTo ?? (await newestPosition(database));
      const page = { offset, limit, snapshot: snapshot ?? -1n, isAscending };
      const way = isAscending ? 'asc' : 'desc';
      const start = await ranks.pageStart(keyOf(filter), condition, page);
      const { range, skip, total } = start;
      if (total !== null && offset >= total)
        return { items: [], total, isTotalExact: true, snapshot };
      const rows = await database
        .selectFrom('audit_view')
        .selectAll()
        .select(concerned)
        // Repeated in the outer query, whose bounds select its partitions.
        .where('position', '>', range.after)
        .where('position', '<=', range.upTo)
        .where((of) =>
          of(
            'position',
            '=',
            sql<bigint>`any(array(
              select position from audit_view where ${condition(range)}
              order by position ${sql.raw(way)} offset ${skip} limit ${limit + 1}))`,
          ),
        )
        .orderBy('position', way)
        .execute();
      const items = await Promise.all(rows.slice(0, limit).map(entryOf));
      return {
        items,
        snapshot,
        ...(total === null
          ? uncounted(rows.length, { limit, offset })
          : { total, isTotalExact: true }),
      };
    },
    async auditEntry(eventId) {
      if (!UUID.test(eventId)) return null;
      const row = await database
        .selectFrom('audit_view')
        .selectAll()
        .select(concerned)
        .where('event_id', '=', sql<string>`${eventId}::uuid`)
        .executeTakeFirst();
      if (row !== undefined) {
        return { ...(await entryOf(row)), stream: row.stream, revision: row.revision };
      }
      const old = await archived(eventId);
      if (old === null) return null;
      const happened = { ...old, happened_at: new Date(old.happened_at), concerned: old.person };
      return { ...(await entryOf(happened)), stream: old.stream, revision: old.revision };
    },
  };
}

async function newestPosition(database: Kysely<Database>): Promise<bigint | null> {
  const row = await database
    .selectFrom('audit_view')
    .select('position')
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.position ?? null;
}

function keyOf({ type, subject, actor, outcome, reads, from, to }: AuditFilter): string {
  return JSON.stringify([type, subject, actor, outcome, reads, from, to]);
}

type ShownRow = Selectable<AuditTable> & { readonly concerned: string | null };

/** The person concerned, whom not each event of a session or a phone names. */
const concerned = sql<string | null>`${sql.raw(personOf('audit_view'))}`.as('concerned');

/** Extent of a list whose rows are not counted: one row more than the page has was looked for. */
function uncounted(
  found: number,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): { readonly total: number; readonly isTotalExact: boolean } {
  const isLast = found <= limit && (found > 0 || offset === 0);
  if (isLast) return { total: offset + found, isTotalExact: true };
  return { total: found === 0 ? 0 : offset + limit, isTotalExact: false };
}

function shown(row: ShownRow): Omit<AuditEntry, 'ip'> {
  return {
    eventId: row.event_id,
    position: row.position,
    at: row.happened_at,
    type: row.type,
    outcome: row.outcome,
    actor: { kind: row.actor_kind, id: row.actor_id },
    capability: row.capability,
    subject: row.subject,
    person: row.concerned,
    requestId: row.request_id,
    details: row.details,
  };
}
