import { useInterval } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { z } from '../zod.ts';
import { type AnswerOf, useRead } from '../api/useRead.ts';

/** Windows of the statistics: length and bar size, in hours. */
export const windows = {
  day: { hours: 24, bar: 1 },
  week: { hours: 7 * 24, bar: 6 },
  month: { hours: 30 * 24, bar: 24 },
} as const;
export type WindowName = keyof typeof windows;

export const windowSearch = z.object({
  window: z.enum(['day', 'week', 'month']).optional().catch(undefined),
});

const HOUR_MS = 3_600_000;
const REFRESH_MS = 30_000;

export type Statistics = AnswerOf<'/v3/admin/stats'>;
export type Hour = Statistics['hours'][number];

/** Window of the address, and its statistics. */
export function useStatistics() {
  const navigate = useNavigate();
  const { window: name = 'day' } = windowSearch.parse(useSearch({ strict: false }));
  const to = useEndOfHour();
  const from = new Date(to.getTime() - windows[name].hours * HOUR_MS);
  const source = useRead(
    '/v3/admin/stats',
    { params: { query: { from: from.toISOString(), to: to.toISOString() } } },
    { every: REFRESH_MS },
  );
  const choose = (next: WindowName) =>
    void navigate({
      to: '.',
      search: next === 'day' ? {} : { window: next },
      replace: true,
    });
  return { name, choose, source };
}

/** End of the current hour: the service takes whole hours, so the query stays the same for one. */
function useEndOfHour(): Date {
  const [end, setEnd] = useState(endOfHour);
  const { start } = useInterval(() => setEnd(endOfHour), 60_000);
  useEffect(start, [start]);
  return new Date(end);
}

function endOfHour(): number {
  return (Math.floor(Date.now() / HOUR_MS) + 1) * HOUR_MS;
}

/** Counts of a bar. */
export type Counts = Omit<Hour, 'hour' | 'latency'>;
export interface Bar extends Counts {
  /** Start of the bar. */
  readonly start: string;
  /** End of the bar, where the next one starts. */
  readonly end: string;
  /** Sessions that ended with another result than OK. */
  readonly notSucceeded: number;
}

const counted = [
  ...(['sessions', 'succeeded', 'running', 'enrolments'] as const),
  ...(['certificatesIssued', 'certificatesRevoked', 'seals', 'sealsRefused'] as const),
];

/** Hour after this one, ISO 8601. */
export function hourAfter(hour: string): string {
  return new Date(Date.parse(hour) + HOUR_MS).toISOString();
}

/** Sums hours into bars. @param size hours in each */
export function bars(hours: readonly Hour[], size: number): readonly Bar[] {
  const found: Bar[] = [];
  for (let at = 0; at < hours.length; at += size) {
    const those = hours.slice(at, at + size);
    const sum = Object.fromEntries(
      counted.map((name) => [name, those.reduce((total, hour) => total + hour[name], 0)]),
    ) as unknown as Counts;
    found.push({
      ...sum,
      start: those[0]?.hour ?? '',
      end: hourAfter(those.at(-1)?.hour ?? ''),
      notSucceeded: sum.sessions - sum.succeeded - sum.running,
    });
  }
  return found;
}
