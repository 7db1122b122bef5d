import { type Kysely, sql } from 'kysely';
import type { AgreedInvitations } from '../application/ports/agreedInvitations.ts';
import type { RepresentationEvent } from '../domain/representation/events.ts';
import { unreachable } from '../domain/shared/decider.ts';
import type { Database, RepresentationRow, RightRow } from './database.ts';
import { readModel } from './readModel.ts';

// Projection

function evolve(
  row: RepresentationRow | undefined,
  event: RepresentationEvent,
  register: string,
): RepresentationRow {
  const rights = row?.rights ?? [];
  const { civilId } = event.data;
  const right = evolveRight(
    rights.find((each) => each.civilId === civilId),
    event,
  );
  const others = rights.filter((each) => each.civilId !== civilId);
  const changed = right === undefined ? others : [...others, right];
  return {
    register,
    rights: changed,
    has_pending: changed.some(({ status }) => status === 'PENDING'),
    revision: 0n,
  };
}

function evolveRight(
  right: RightRow | undefined,
  event: RepresentationEvent,
): RightRow | undefined {
  switch (event.type) {
    case 'RightGranted': {
      const { rightType, role, source, evidenceRef, validFrom, validTo } = event.data;
      return {
        ...{ civilId: event.data.civilId, rightType, role, source, evidenceRef },
        ...{ validFrom, validTo, status: 'ACTIVE', sessionIds: [] },
      };
    }
    case 'SignerInvited': {
      const { civilId, role, sessionId, invitedAt } = event.data;
      const asked = right?.status === 'PENDING' ? right.sessionIds : [];
      return {
        ...{ civilId, role, rightType: 'MANAGER', source: 'MANUAL', evidenceRef: null },
        ...{ validFrom: invitedAt, validTo: null, status: 'PENDING' },
        sessionIds: [...asked, sessionId],
      };
    }
    case 'SignerConfirmed':
      return (
        right && { ...right, status: 'ACTIVE', validFrom: event.data.confirmedAt, sessionIds: [] }
      );
    case 'RightWithdrawn':
      return right && { ...right, status: 'WITHDRAWN', sessionIds: [] };
    default:
      return unreachable(event);
  }
}

/** The read model of rights, table `representation_view`: one row an organization. */
export const representationsReadModel = readModel<RepresentationRow, RepresentationEvent>({
  name: 'representations',
  table: 'representation_view',
  category: 'representation',
  key: 'register',
  columns: { register: 'text', rights: 'jsonb', has_pending: 'boolean', revision: 'int8' },
  evolve,
  topics: () => [],
});

// Queries

/** Invitations whose session was answered with a signature and that are not confirmed yet. */
export function createAgreedInvitations(database: Kysely<Database>): AgreedInvitations {
  return {
    async agreedInvitations(limit, after) {
      const behind = sql`(r.register, s.session_id) > (${after?.register ?? ''}, ${after?.sessionId ?? ''})`;
      const { rows } = await sql<{ register: string; civil_id: string; session_id: string }>`
        select r.register, pending ->> 'civilId' as civil_id, s.session_id
        from representation_view r
        cross join lateral jsonb_array_elements(r.rights) as pending
        cross join lateral jsonb_array_elements_text(pending -> 'sessionIds') as asked
        join session_view s on s.session_id = asked
        where r.has_pending and pending ->> 'status' = 'PENDING' and s.end_result = 'OK' and ${behind}
        order by r.register, s.session_id
        limit ${limit}
      `.execute(database);
      return rows.map((row) => ({
        register: row.register,
        civilId: row.civil_id,
        sessionId: row.session_id,
      }));
    },
  };
}
