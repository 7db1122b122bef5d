import { type Kysely, type Selectable, sql } from 'kysely';
import type {
  AuditEntry,
  AuditFilter,
  AuditTrail,
} from '../../application/audit/ports/auditTrail.ts';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import { openAddress } from '../../application/ports/sealedAddress.ts';
import type { Database } from '../database.ts';
import type { AuditRow, AuditTable } from './audit.ts';
import { auditCondition } from './conditions.ts';
import { createRanks } from './ranks.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Queries over the audit.
 *
 * @param vault opens IP addresses
 * @param archived looks up the row of an archived event
 */
export function createAuditTrail(
  database: Kysely<Database>,
  vault: Pick<PersonalDataVault, 'open'>,
  archived: (eventId: string) => Promise<AuditRow | null> = () => Promise.resolve(null),
): AuditTrail {
  const ranks = createRanks(database);
  const entryOf = async (row: Selectable<AuditTable>): Promise<AuditEntry> => ({
    ...shown(row),
    ip: await openAddress(vault, row.ip),
  });
  return {
    async auditEntries(filter, { limit, offset }) {
      const condition = await auditCondition(database, filter);
      const start = await ranks.pageStart(keyOf(filter), condition, { offset, limit });
      const { range, skip, total, isExact } = start;
      if (isExact && offset >= total) return { items: [], total };
      const rows = await database
        .selectFrom('audit_view')
        .selectAll()
        // Repeated in the outer query, whose bounds select its partitions.
        .where('position', '>', range.after)
        .where('position', '<=', range.upTo)
        .where((of) =>
          of(
            'position',
            '=',
            sql<bigint>`any(array(
              select position from audit_view where ${condition(range)}
              order by position desc offset ${skip} limit ${limit}))`,
          ),
        )
        .orderBy('position', 'desc')
        .execute();
      const seen = rows.length === 0 ? 0 : offset + rows.length;
      const items = await Promise.all(rows.map(entryOf));
      return { items, total: Math.max(total, seen) };
    },
    async auditEntry(eventId) {
      if (!UUID.test(eventId)) return null;
      const row = await database
        .selectFrom('audit_view')
        .selectAll()
        .where('event_id', '=', sql<string>`${eventId}::uuid`)
        .executeTakeFirst();
      if (row !== undefined) {
        return { ...(await entryOf(row)), stream: row.stream, revision: row.revision };
      }
      const old = await archived(eventId);
      if (old === null) return null;
      const happened = { ...old, happened_at: new Date(old.happened_at) };
      return { ...(await entryOf(happened)), stream: old.stream, revision: old.revision };
    },
  };
}

function keyOf({ type, subject, actor, outcome, from, to }: AuditFilter): string {
  return JSON.stringify([type, subject, actor, outcome, from, to]);
}

function shown(row: Selectable<AuditTable>): Omit<AuditEntry, 'ip'> {
  return {
    eventId: row.event_id,
    position: row.position,
    at: row.happened_at,
    type: row.type,
    outcome: row.outcome,
    actor: { kind: row.actor_kind, id: row.actor_id },
    capability: row.capability,
    subject: row.subject,
    person: row.person,
    requestId: row.request_id,
    details: row.details,
  };
}
