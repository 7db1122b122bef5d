import { type Kysely, type Migration, sql } from 'kysely';

const hourOf = (time: string) => `date_trunc('hour', ${time}, 'UTC')`;
const dayOf = (time: string) => `date_trunc('day', ${time}, 'UTC')`;
const milliseconds = `extract(epoch from completed_at - started_at)::float8 * 1000`;
// Rounded first, so that the end of a step belongs to it.
const step = `ceil(round((4 * ln(greatest(10, ${milliseconds}) / 10) / ln(2))::numeric, 9))`;

/** Counted metrics of each row, as in projections/engine/tallied.ts. */
const counted: readonly (readonly [source: string, metric: string, rest: string])[] = [
  [
    ...(['sessions', 'session'] as const),
    `${hourOf('started_at')}, relying_party_id, kind || ' ' || coalesce(end_result, 'RUNNING') from session_view`,
  ],
  [
    ...(['sessions', 'latency'] as const),
    `${hourOf('started_at')}, '', ${step}::text from session_view where completed_at is not null and end_result = 'OK'`,
  ],
  ['devices', 'enrolment', `${hourOf('enrolled_at')}, '', platform from device_view`],
  [
    ...(['devices', 'device'] as const),
    `to_timestamp(0), '', case when active then 'active' else 'deactivated' end from device_view`,
  ],
  [
    ...(['certificates', 'certificate'] as const),
    `${dayOf('not_after')}, '', type || ' ' || status || ' ' || authority from certificate_view where status <> 'REQUESTED'`,
  ],
  [
    ...(['certificates', 'issued'] as const),
    `${hourOf('not_before')}, '', type from certificate_view where status <> 'REQUESTED'`,
  ],
  [
    ...(['certificates', 'revoked'] as const),
    `${hourOf('revoked_at')}, '', type || ' ' || status from certificate_view
     where status <> 'REQUESTED' and revoked_at is not null`,
  ],
  [
    ...(['audit', 'seal'] as const),
    `${hourOf('happened_at')}, '', outcome from audit_view where type = 'ORG_SEAL'`,
  ],
];

/** Counts rows that existed before the counters. */
export const tallyRows: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`
      lock table session_view, device_view, certificate_view, audit_view in share row exclusive mode
    `.execute(database);
    await sql`delete from tally`.execute(database);
    for (const [source, metric, rest] of counted) {
      await sql
        .raw(
          `insert into tally (source, metric, bucket, relying_party_id, label, count)
           select source, metric, bucket, party, label, count(*) from (
             select '${source}', '${metric}', ${rest}
           ) as row (source, metric, bucket, party, label) group by 1, 2, 3, 4, 5`,
        )
        .execute(database);
    }
  },
};
