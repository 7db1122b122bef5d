import { type Kysely, sql } from 'kysely';
import type { AgreedInvitations } from '../application/reactors/ports/agreedInvitations.ts';
import type { Database } from './database.ts';

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
