import { listSearch, textSearch, sortSearch } from '../../shared/useListSearch.ts';
import { z } from '../../shared/zod.ts';

export const kinds = ['AUTHENTICATION', 'SIGNATURE', 'CERTIFICATE_CHOICE'] as const;
export const flows = ['NOTIFICATION', 'DEVICE_LINK'] as const;
/** Least durations offered, s. */
export const durations = ['5', '15', '30', '60', '120'] as const;
export const outcomes = [
  'RUNNING',
  'OK',
  'REFUSED',
  'FAILED',
  'TIMEOUT',
  'CANCELLED',
  'UNSUCCESSFUL',
] as const;

/**
 * Filters of the API; `from` and `to` are days of the reader's calendar, both included; `since` and `until` are moments, as a
 * chart counts. */
export const search = listSearch({
  sort: sortSearch('startedAt'),
  q: textSearch,
  kind: z.enum(kinds).optional().catch(undefined),
  flow: z.enum(flows).optional().catch(undefined),
  outcome: z.enum(outcomes).optional().catch(undefined),
  minSeconds: z.enum(durations).optional().catch(undefined),
  relyingParty: textSearch,
  from: z.iso.date().optional().catch(undefined),
  to: z.iso.date().optional().catch(undefined),
  since: z.iso.datetime().optional().catch(undefined),
  until: z.iso.datetime().optional().catch(undefined),
});
