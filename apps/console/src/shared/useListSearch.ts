import { useNavigate, useSearch } from '@tanstack/react-router';
import { z } from './zod.ts';

/** Rows of a page that can be chosen; the first unless another is. */
export const pageSizes = [25, 50, 100, 200] as const;

/**
 * Search parameters of a list: its filters, the page from 1, and the snapshot of the first one.
 *
 * ```ts
 * export const search = listSearch({ q: textSearch, active: activeSearch });
 * ```
 */
export function listSearch<Filters extends z.ZodRawShape>(filters: Filters) {
  return z.object({
    ...filters,
    page: z.coerce.number().int().min(1).optional().catch(undefined),
    size: z.coerce
      .number()
      .pipe(z.literal([...pageSizes]))
      .optional()
      .catch(undefined),
    // A snapshot of digits alone reads as a number.
    snapshot: z.coerce.string().max(2000).optional().catch(undefined),
  });
}

/** Order of {@link listSearch} by one of these columns of the API, behind a minus the other way around. */
export function sortSearch<const Name extends string>(...names: readonly Name[]) {
  const orders = names.flatMap((name) => [name, `-${name}` as const]);
  return z.enum(orders).optional().catch(undefined);
}

/** Activity filter of {@link listSearch}; undefined: all. */
export const activeSearch = z.enum(['true', 'false']).optional().catch(undefined);

/** Text filter of {@link listSearch}. */
export const textSearch = z.string().optional().catch(undefined);

/** A text that a list is searched for. */
export interface SearchField {
  readonly q: string | undefined;
  readonly onSearch: (q: string | undefined) => void;
}

export interface ListSearch<Filters> {
  /** Filters of the address. */
  readonly filters: Filters;
  /** Paging parameters of the API. */
  readonly paging: Paging;
  /** Paging and filters that are set, for lists of the API with the same parameters. */
  readonly query: Paging & Given<Filters>;
  /** Changes filters and returns to the first page; undefined clears one. */
  setFilters(change: Partial<Filters>): void;
  /** Properties of the filter bar where `q` is a filter. */
  readonly searchField: SearchField;
  /** Properties of the table: the page from 1, and what clears filters where some are set. */
  readonly table: {
    readonly page: number;
    readonly pageSize: number;
    readonly onPageSize: (size: number) => void;
    readonly onPage: (page: number, snapshot: string | undefined) => void;
    readonly onClearFilters: (() => void) | undefined;
    /** Order as in the API; undefined: the list's own. */
    readonly sort: string | undefined;
    readonly onSort: (sort: string | undefined) => void;
  };
}

interface Paging {
  readonly limit: number;
  readonly offset: number;
  readonly snapshot?: string;
}

/** Filters without unset ones. */
type Given<Filters> = { readonly [Name in keyof Filters]?: Exclude<Filters[Name], undefined> };

/** Filters and page of the current list, kept in its address for links and the back button. */
export function useListSearch<Shape extends z.ZodType<object>>(
  schema: Shape,
): ListSearch<Omit<z.output<Shape>, 'page' | 'size' | 'snapshot'>> {
  const search = schema.parse(useSearch({ strict: false })) as {
    page?: number;
    size?: number;
    snapshot?: string;
  };
  const navigate = useNavigate();
  const { page = 1, size, snapshot, ...filters } = search;
  const [usual] = pageSizes;
  const limit = size ?? usual;
  const go = (next: object, replace: boolean) =>
    void navigate({ to: '.', search: { size, ...next }, replace });
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== '');
  const { sort } = filters as { readonly sort?: string };
  const isFiltered = given.some(([name]) => name !== 'sort');
  const paging = {
    limit,
    offset: (page - 1) * limit,
    ...(page > 1 && snapshot !== undefined && { snapshot }),
  };
  return {
    filters: filters as Omit<z.output<Shape>, 'page' | 'size' | 'snapshot'>,
    paging,
    query: { ...paging, ...Object.fromEntries(given) } as Paging &
      Given<Omit<z.output<Shape>, 'page' | 'size' | 'snapshot'>>,
    setFilters: (change) => go({ ...filters, ...change }, true),
    searchField: {
      q: (filters as { q?: string }).q,
      onSearch: (q) => go({ ...filters, q }, true),
    },
    table: {
      page,
      pageSize: limit,
      onPageSize: (next) => go({ ...filters, size: next === usual ? undefined : next }, false),
      onPage: (next, known) =>
        go({ ...filters, ...(next === 1 ? {} : { page: next, snapshot: known }) }, false),
      onClearFilters: isFiltered ? () => go({ sort }, true) : undefined,
      sort,
      onSort: (next) => go({ ...filters, sort: next }, true),
    },
  };
}
