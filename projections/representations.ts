import { type Kysely, sql } from 'kysely';
import type { AgreedInvitations } from '../application/reactors/ports/agreedInvitations.ts';
import type { Database } from './database.ts';

/** Pending rights whose sessions were answered with a signature and that are not confirmed yet. */
export function createAgreedInvitations(database: Kysely<Database>): AgreedInvitations {
  return {
    async agreedInvitations(limit, after) {
      const behind = sql`(r.register, a.session_id) > (${after?.register ?? ''}, ${after?.adminSessionId ?? ''})`;
      const { rows } = await sql<AgreedRow>`
        select r.register, pending ->> 'civilId' as civil_id, own.session_id,
               a.session_id as admin_session_id, a.civil_id as confirmed_by
        from representation_view r
        cross join lateral jsonb_array_elements(r.rights) as pending
        cross join lateral jsonb_array_elements_text(pending -> 'adminSessionIds') as asked
        join lateral session_with_id(asked) as a on a.end_result = 'OK'
        left join lateral (
          select s.session_id
          from jsonb_array_elements_text(pending -> 'sessionIds') as invited
          join lateral session_with_id(invited) as s on s.end_result = 'OK'
          order by s.session_id
          limit 1
        ) as own on true
        where r.has_pending and pending ->> 'status' = 'PENDING'
          and (own.session_id is not null or pending -> 'sessionIds' = '[]') and ${behind}
        order by r.register, a.session_id
        limit ${limit}
      `.execute(database);
      return rows.map((row) => ({
        register: row.register,
        civilId: row.civil_id,
        sessionId: row.session_id,
        adminSessionId: row.admin_session_id,
        confirmedBy: row.confirmed_by,
      }));
    },
  };
}

interface AgreedRow {
  readonly register: string;
  readonly civil_id: string;
  readonly session_id: string | null;
  readonly admin_session_id: string;
  readonly confirmed_by: string;
}
