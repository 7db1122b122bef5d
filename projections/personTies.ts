import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';

/** A person's last use and organizations. */
export interface PersonTies {
  /** Last completed session, ISO 8601; null: never, or beyond the retention of sessions. */
  readonly lastSeenAt: string | null;
  /** Organizations they may represent now. */
  readonly organizations: readonly {
    readonly register: string;
    readonly name: string | null;
    readonly role: string | null;
  }[];
}

export interface PersonTiesQuery {
  /**
   * By civil id, for every requested one.
   *
   * @param now decides which rights are in force
   * @throws Unavailable(database)
   */
  tiesOf(civilIds: readonly string[], now: Date): Promise<ReadonlyMap<string, PersonTies>>;
}

/** Queries about persons over sessions, rights and organizations. */
export function createPersonTies(database: Kysely<Database>): PersonTiesQuery {
  async function lastSeen(civilIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { rows } = await sql<{ civil_id: string; last_seen_at: Date }>`
      select civil_id, max(completed_at) as last_seen_at
        from session_view
       where civil_id = any(${[...civilIds]}::text[]) and end_result = 'OK'
       group by civil_id
    `.execute(database);
    return new Map(rows.map((row) => [row.civil_id, row.last_seen_at.toISOString()]));
  }

  async function organizationsOf(
    civilId: string,
    now: string,
  ): Promise<PersonTies['organizations']> {
    const held = JSON.stringify([{ civilId, status: 'ACTIVE' }]);
    const { rows } = await sql<{ register: string; name: string | null; role: string | null }>`
      select r.register, o.name, held ->> 'role' as role
        from representation_view r
        cross join lateral jsonb_array_elements(r.rights) as held
        join organization_view o on o.register = r.register and o.status = 'ACTIVE'
       where r.rights @> ${held}::jsonb
         and held ->> 'civilId' = ${civilId} and held ->> 'status' = 'ACTIVE'
         and held ->> 'validFrom' <= ${now}
         and coalesce(held ->> 'validTo', 'never') > ${now}
       order by r.register
    `.execute(database);
    return rows;
  }

  return {
    async tiesOf(civilIds, now) {
      const [seen, organizations] = await Promise.all([
        lastSeen(civilIds),
        Promise.all(civilIds.map((civilId) => organizationsOf(civilId, now.toISOString()))),
      ]);
      return new Map(
        civilIds.map((civilId, index) => [
          civilId,
          {
            lastSeenAt: seen.get(civilId) ?? null,
            organizations: organizations[index] ?? [],
          },
        ]),
      );
    },
  };
}
