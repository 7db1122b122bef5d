import { type Kysely, sql } from 'kysely';
import type { ParkedEvents } from '../application/approval/ports/parkedEvents.ts';
import type { Database } from './database.ts';

/** A row of a read model that waits: its first parked event failed, those behind follow it. */
export interface ParkedRowListing {
  readonly readModel: string;
  readonly key: string;
  readonly stream: string;
  /** The event at fault. */
  readonly eventId: string;
  /** Class of its error. */
  readonly error: string | null;
  /** Number of events that wait, the one at fault included. */
  readonly events: number;
  readonly attempts: number;
  readonly since: Date;
}

/** Parked rows of all read models, whichever process projects. */
export interface ParkedRows extends ParkedEvents {
  list(): Promise<readonly ParkedRowListing[]>;
  /** Number of rows by read model; those without any are left out. */
  counts(): Promise<ReadonlyMap<string, number>>;
  /**
   * Has the projector fold parked events again, in order.
   * @param which default: all
   * @returns the number of rows
   */
  retry(which?: { readonly readModel: string; readonly key?: string }): Promise<number>;
}

/** Queries and wishes over the table `parked_event`. */
export function createParkedRows(database: Kysely<Database>): ParkedRows {
  return {
    async list() {
      const { rows } = await sql<ParkedRowListing>`
        select distinct on (read_model, row_key) read_model as "readModel", row_key as key, stream,
          event_id as "eventId", error, attempts, since,
          (count(*) over (partition by read_model, row_key))::int as events
        from parked_event where skipped_at is null
        order by read_model, row_key, position
      `.execute(database);
      return rows;
    },
    async counts() {
      const { rows } = await sql<{ name: string; count: number }>`
        select read_model as name, count(distinct row_key)::int as count
        from parked_event where skipped_at is null group by read_model
      `.execute(database);
      return new Map(rows.map(({ name, count }) => [name, count]));
    },
    async retry({ readModel, key } = { readModel: '' }) {
      const { rows } = await sql<{ count: number }>`
        with wanted as (
          update parked_event set retry_wanted = true
          where skipped_at is null and (${readModel} = '' or read_model = ${readModel})
            and (${key ?? null}::text is null or row_key = ${key ?? null})
          returning read_model, row_key
        )
        select count(distinct (read_model, row_key))::int as count from wanted
      `.execute(database);
      return rows[0]?.count ?? 0;
    },
    async stateOf({ readModel, eventId }) {
      const { rows } = await sql<{ is_skipped: boolean }>`
        select skipped_at is not null as is_skipped from parked_event
        where read_model = ${readModel} and event_id = ${eventId} and error is not null
      `.execute(database);
      const [found] = rows;
      if (found === undefined) return null;
      return found.is_skipped ? 'SKIPPED' : 'PARKED';
    },
    async skip({ readModel, eventId }) {
      const { rows } = await sql`
        update parked_event set skipped_at = now()
        where read_model = ${readModel} and event_id = ${eventId}
          and error is not null and skipped_at is null
        returning 1
      `.execute(database);
      return rows.length > 0;
    },
  };
}
