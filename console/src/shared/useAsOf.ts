import { useNavigate, useSearch } from '@tanstack/react-router';
import { z } from './zod.ts';

/** The search of pages that can show the past; extend it with more where a page keeps more. */
export const asOfSearch = z.object({
  asOf: z.iso.datetime({ offset: true }).optional().catch(undefined),
});

export interface AsOf {
  /** The moment shown, ISO 8601; undefined: now. */
  readonly asOf: string | undefined;
  /** What reads of the API take in their query. */
  readonly query: { readonly asOf?: string };
  /** Whether the past is shown: nothing can be changed there. */
  readonly isPast: boolean;
  /** Undefined: back to now. */
  setAsOf(moment: Date | undefined): void;
}

/**
 * The moment the page shows, kept in its address.
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
