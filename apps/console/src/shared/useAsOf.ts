import { useNavigate, useSearch } from '@tanstack/react-router';
import { z } from './zod.ts';

/** Search parameters of pages with past states; extend it where a page has more. */
export const asOfSearch = z.object({
  asOf: z.iso.datetime({ offset: true }).optional().catch(undefined),
});

export interface AsOf {
  /** Time shown, ISO 8601; undefined: now. */
  readonly asOf: string | undefined;
  /** Query of API reads. */
  readonly query: { readonly asOf?: string };
  /** True for a past state, which is read-only. */
  readonly isPast: boolean;
  /** Undefined: back to now. */
  setAsOf(moment: Date | undefined): void;
}

/**
 * Time shown by the page, kept in its address.
 *
 * ```ts
 * const { query, isPast } = useAsOf();
 * const source = useRead('/v3/admin/organizations/{etsi}', { params: { path: { etsi }, query } });
 * ```
 */
export function useAsOf(): AsOf {
  const { asOf } = asOfSearch.parse(useSearch({ strict: false }));
  const navigate = useNavigate();
  return {
    asOf,
    query: asOf === undefined ? {} : { asOf },
    isPast: asOf !== undefined,
    setAsOf: (moment) =>
      void navigate({
        to: '.',
        search: (before: object) => ({ ...before, asOf: moment?.toISOString() }),
      }),
  };
}
