import type { Tally } from './readModel.ts';

// Tallies of the dashboard. Times are ISO 8601 in UTC, so their beginnings are hours and days.

/** The bucket of counts that are not of a time. */
export const always = new Date(0).toISOString();

/** One in the hour of a time. */
export function ofHour(metric: string, time: string, label: string, relyingPartyId = ''): Tally {
  return { metric, bucket: `${time.slice(0, 13)}:00:00.000Z`, relyingPartyId, label };
}
