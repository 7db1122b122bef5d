import { useNavigate, useSearch } from '@tanstack/react-router';
import { z } from './zod.ts';

/** Rows of a page of a list. */
export const PAGE_SIZE = 25;

/**
 * What the address of a list keeps: its filters, and the page from 1.
 *
 * ```ts
 * export const devicesSearch = listSearch({ q: z.string().optional().catch(undefined) });
 * ```
 */
export function listSearch<Filters extends z.ZodRawShape>(filters: Filters) {
  return z.object({ ...filters, page: z.coerce.number().int().min(1).optional().catch(undefined) });
}

/** A filter of {@link listSearch}: what is active, or what is not; undefined: both. */
export const activeSearch = z.enum(['true', 'false']).optional().catch(undefined);

export interface ListSearch<Filters> {
  /** As the address has them. */
  readonly filters: Filters;
  readonly page: number;
  /** What lists of the API take of a page. */
  readonly paging: Paging;
  /** The page and the filters that are set, for lists of the API that take them as they are. */
  readonly query: Paging & Given<Filters>;
  /** Changes filters and goes back to the first page; undefined takes one away. */
  setFilters(change: Partial<Filters>): void;
  setPage(page: number): void;
  /** Takes every filter away; undefined: none is set. */
  readonly clearFilters: (() => void) | undefined;
}

interface Paging {
  readonly limit: number;
  readonly offset: number;
}

/** Filters without those that are not set: a filter that is given is not undefined. */
type Given<Filters> = { readonly [Name in keyof Filters]?: Exclude<Filters[Name], undefined> };

/** The filters and page of the list shown, kept in its address, so that a link and the back button show the same. */
export function useListSearch<Shape extends z.ZodType<object>>(
  schema: Shape,
): ListSearch<Omit<z.output<Shape>, 'page'>> {
  const search = schema.parse(useSearch({ strict: false })) as { page?: number };
  const navigate = useNavigate();
  const { page = 1, ...filters } = search;
  const go = (next: object, replace: boolean) => void navigate({ to: '.', search: next, replace });
  const set = Object.entries(filters).filter(([, value]) => value !== undefined && value !== '');
  const paging = { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE };
  return {
    filters: filters as Omit<z.output<Shape>, 'page'>,
    page,
    paging,
    query: { ...paging, ...Object.fromEntries(set) } as Paging &
      Given<Omit<z.output<Shape>, 'page'>>,
    clearFilters: set.length === 0 ? undefined : () => go({}, true),
    setFilters: (change) => go({ ...filters, ...change }, true),
    setPage: (next) => go({ ...filters, ...(next === 1 ? {} : { page: next }) }, false),
  };
}
