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

export interface ListSearch<Filters> {
  /** As the address has them. */
  readonly filters: Filters;
  readonly page: number;
  /** What lists of the API take. */
  readonly paging: { readonly limit: number; readonly offset: number };
  /** Changes filters and goes back to the first page; undefined takes one away. */
  setFilters(change: Partial<Filters>): void;
  setPage(page: number): void;
}

/** The filters and page of the list shown, kept in its address, so that a link and the back button show the same. */
export function useListSearch<Shape extends z.ZodType<object>>(
  schema: Shape,
): ListSearch<Omit<z.output<Shape>, 'page'>> {
  const search = schema.parse(useSearch({ strict: false })) as { page?: number };
  const navigate = useNavigate();
  const { page = 1, ...filters } = search;
  const go = (next: object, replace: boolean) => void navigate({ to: '.', search: next, replace });
  return {
    filters: filters as Omit<z.output<Shape>, 'page'>,
    page,
    paging: { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE },
    setFilters: (change) => go({ ...filters, ...change }, true),
    setPage: (next) => go({ ...filters, ...(next === 1 ? {} : { page: next }) }, false),
  };
}
