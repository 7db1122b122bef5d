import { type Kysely, sql } from 'kysely';
import type {
  HourlyStatistics,
  Statistics,
  StatisticsView,
  StatisticsWindow,
} from '../application/ports/statistics.ts';
import type { Database } from './database.ts';
import { percentilesOf } from './models/sessions.ts';

/** Length of a day of expiring certificates. */
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Relying parties shown. */
const MAX_PARTIES = 100;

interface HourRow {
  readonly metric: string;
  readonly bucket: Date;
  readonly label: string;
  readonly count: bigint;
}

/** Queries over the counters: work grows with the requested hours, not with the events in them. */
export function createStatisticsView(database: Kysely<Database>): StatisticsView {
  async function hourly({ from, to }: StatisticsWindow): Promise<readonly HourRow[]> {
    const { rows } = await sql<HourRow>`
      select metric, bucket, label, sum(count)::int8 as count from tally
      where metric in ('session', 'latency', 'enrolment', 'issued', 'revoked', 'seal')
        and bucket >= ${from} and bucket < ${to}
      group by metric, bucket, label
    `.execute(database);
    return rows;
  }

  async function relyingParties({ from, to }: StatisticsWindow) {
    const { rows } = await sql<{ id: string; name: string; sessions: bigint; succeeded: bigint }>`
      select counted.id, coalesce(name, '') as name, sessions, succeeded
      from (
        select relying_party_id as id, sum(count)::int8 as sessions,
          coalesce(sum(count) filter (where label like '% OK'), 0)::int8 as succeeded
        from tally where metric = 'session' and bucket >= ${from} and bucket < ${to}
        group by relying_party_id
        order by sessions desc, id limit ${MAX_PARTIES}
      ) as counted
      left join relying_party_view on relying_party_view.relying_party_id = counted.id
      where sessions > 0
      order by sessions desc, id
    `.execute(database);
    return rows.map(({ id, name, sessions, succeeded }) => ({
      relyingPartyId: id,
      name,
      sessions: Number(sessions),
      succeeded: Number(succeeded),
    }));
  }

  async function present(now: Date) {
    const today = new Date(now.getTime() - (now.getTime() % DAY_MS));
    const { rows } = await sql<{ metric: string; label: string; past: boolean; count: bigint }>`
      select metric, label, bucket < ${today} as past, sum(count)::int8 as count from tally
      where metric in ('certificate', 'device')
      group by metric, label, past having sum(count) > 0
      order by metric, label, past
    `.execute(database);
    const devices = { active: 0, deactivated: 0 };
    const certificates = new Map<string, number>();
    for (const { metric, label, past, count } of rows) {
      if (metric === 'device') devices[label as keyof typeof devices] = Number(count);
      else {
        const [type = '', status = ''] = label.split(' ');
        const shown = `${type} ${past && status === 'VALID' ? 'EXPIRED' : status}`;
        certificates.set(shown, (certificates.get(shown) ?? 0) + Number(count));
      }
    }
    return {
      devices,
      certificates: Array.from(certificates, ([label, count]) => {
        const [type = '', status = ''] = label.split(' ');
        return { type, status, count };
      }),
    };
  }

  return {
    revokedCertificates: async () => {
      const { rows } = await sql<{ authority: string; count: bigint }>`
        select split_part(label, ' ', 3) as authority, sum(count)::int8 as count from tally
        where metric = 'certificate' and split_part(label, ' ', 2) in ('REVOKED', 'SUSPENDED')
        group by 1
      `.execute(database);
      return new Map(rows.map(({ authority, count }) => [authority, Number(count)]));
    },
    statistics: async (window, now): Promise<Statistics> => {
      const [rows, parties, { devices, certificates }] = await Promise.all([
        hourly(window),
        relyingParties(window),
        present(now),
      ]);
      const sessions = Array.from(sums(rows, 'session'), ([label, count]) => {
        const [kind = '', outcome = ''] = label.split(' ');
        return { kind, outcome, count };
      });
      const enrolments = Array.from(sums(rows, 'enrolment'), ([platform, count]) => ({
        platform,
        count,
      }));
      return {
        sessions,
        relyingParties: parties,
        latency: latencyOf(rows),
        enrolments,
        devices,
        certificates,
        hours: hoursOf(rows, window),
      };
    },
  };
}

/** Counts of a metric by label, without zeros. */
function sums(rows: readonly HourRow[], metric: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    if (row.metric !== metric || row.count === 0n) continue;
    counts.set(row.label, (counts.get(row.label) ?? 0) + Number(row.count));
  }
  return new Map([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function latencyOf(rows: readonly HourRow[]) {
  const steps = Array.from(
    sums(rows, 'latency'),
    ([step, count]) => [Number(step), count] as const,
  );
  return percentilesOf(new Map(steps));
}

function hoursOf(rows: readonly HourRow[], { from, to }: StatisticsWindow) {
  const byHour = new Map<number, HourRow[]>();
  for (const row of rows) {
    const at = row.bucket.getTime();
    const present = byHour.get(at);
    if (present === undefined) byHour.set(at, [row]);
    else present.push(row);
  }
  const hours: HourlyStatistics[] = [];
  for (let at = from.getTime(); at < to.getTime(); at += HOUR_MS) {
    hours.push(hourOf(new Date(at), byHour.get(at) ?? []));
  }
  return hours;
}

function hourOf(hour: Date, rows: readonly HourRow[]): HourlyStatistics {
  const total = (metric: string, end = '') =>
    rows
      .filter((row) => row.metric === metric && row.label.endsWith(end))
      .reduce((sum, { count }) => sum + Number(count), 0);
  return {
    hour,
    sessions: total('session'),
    succeeded: total('session', ' OK'),
    running: total('session', ' RUNNING'),
    enrolments: total('enrolment'),
    certificatesIssued: total('issued'),
    certificatesRevoked: total('revoked'),
    seals: total('seal', 'OK'),
    sealsRefused: total('seal', 'DENIED'),
    latency: latencyOf(rows),
  };
}
