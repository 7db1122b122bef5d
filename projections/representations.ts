import { type Kysely, sql } from 'kysely';
import type {
  AgreedInvitation,
  AgreedInvitations,
} from '../application/reactors/ports/agreedInvitations.ts';
import type { Database } from './database.ts';

/** Pending rights whose sessions were answered with a signature and that are not confirmed yet. */
export function createAgreedInvitations(database: Kysely<Database>): AgreedInvitations {
  return {
    async agreedInvitations(limit, after) {
      const behind = sql`(r.register, a.session_id) > (${after?.register ?? ''}, ${after?.adminSessionId ?? ''})`;
      const { rows } = await sql<AgreedInvitation>`
        select r.register, pending ->> 'civilId' as "civilId", own.session_id as "sessionId",
               a.session_id as "adminSessionId", a.civil_id as "confirmedBy"
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
      return rows;
    },
  };
}
