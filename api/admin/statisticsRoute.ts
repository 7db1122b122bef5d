import { z } from 'zod';
import type { Clock } from '../../application/ports/clock.ts';
import type {
  HourlyStatistics,
  StatisticsView,
  StatisticsWindow,
} from '../../application/ports/statistics.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { count, moment } from '../schemas/answers.ts';
import { type Route, route } from '../http/route.ts';
import type { OperatorGuards } from './guard.ts';

const HOUR_MS = 3_600_000;
const DEFAULT_HOURS = 24;
const MAX_HOURS = 31 * 24;

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const query = z.object({ from: time.optional(), to: time.optional() });

const milliseconds = z.number().min(0).nullable();
const latency = z
  .strictObject({
    count,
    p50: milliseconds,
    p90: milliseconds,
    p95: milliseconds,
    p99: milliseconds,
  })
  .meta({ id: 'Percentiles', description: 'In milliseconds, accurate to a tenth of the value' });

const answer = z
  .strictObject({
    from: moment,
    to: moment,
    sessions: z.array(z.strictObject({ kind: z.string(), outcome: z.string(), count })),
    relyingParties: z.array(
      z.strictObject({
        relyingPartyId: z.string(),
        name: z.string(),
        sessions: count,
        succeeded: count,
      }),
    ),
    latency,
    enrolments: z.array(z.strictObject({ platform: z.string(), count })),
    devices: z.strictObject({ active: count, deactivated: count }),
    certificates: z.array(z.strictObject({ type: z.string(), status: z.string(), count })),
    hours: z.array(
      z.strictObject({
        hour: moment,
        sessions: count,
        succeeded: count,
        running: count,
        enrolments: count,
        certificatesIssued: count,
        certificatesRevoked: count,
        seals: count,
        sealsRefused: count,
        latency,
      }),
    ),
  })
  .meta({ id: 'Statistics' });

/**
 * `GET /v3/admin/stats`: figures of the dashboard over a window of whole hours, and current ones.
 */
export function statisticsRoute(
  guards: OperatorGuards,
  { statistics, clock }: { readonly statistics: StatisticsView; readonly clock: Clock },
): Route {
  return route({
    name: 'admin.stats',
    summary: 'Get metrics and hourly trends, by default of the last 24 hours',
    method: 'GET',
    path: '/v3/admin/stats',
    guard: guards.withCapability('audit:read'),
    query,
    response: { 200: answer },
    handle: async ({ query: { from, to } }) => {
      const now = clock.now();
      const window = windowOf(from, to, now);
      const { hours, ...found } = await statistics.statistics(window, now);
      return {
        body: {
          from: window.from.toISOString(),
          to: window.to.toISOString(),
          ...found,
          hours: hours.map(hourAnswer),
        },
      };
    },
  });
}

function hourAnswer({ hour, ...counts }: HourlyStatistics) {
  return { hour: hour.toISOString(), ...counts };
}

/** Smallest window of whole hours that contains both times. @throws Refusal INVALID_REQUEST */
function windowOf(from: Date | undefined, to: Date | undefined, now: Date): StatisticsWindow {
  const end = Math.ceil((to ?? now).getTime() / HOUR_MS) * HOUR_MS;
  const start =
    from === undefined
      ? end - DEFAULT_HOURS * HOUR_MS
      : Math.floor(from.getTime() / HOUR_MS) * HOUR_MS;
  const hours = (end - start) / HOUR_MS;
  if (hours < 1 || hours > MAX_HOURS) {
    const detail =
      hours < 1
        ? 'from must be before to.'
        : `from and to are ${hours} hours apart, but at most ${MAX_HOURS} are allowed.`;
    throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '#/query/from', detail }] });
  }
  return { from: new Date(start), to: new Date(end) };
}
