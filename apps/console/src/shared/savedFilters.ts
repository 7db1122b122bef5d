import { z } from './zod.ts';

/** Filters of a list under a name. */
const saved = z.object({ name: z.string(), search: z.record(z.string(), z.unknown()) });
type SavedFilter = z.output<typeof saved>;

/** Filters kept of one list; the oldest goes. */
const KEPT = 20;

const keyOf = (path: string) => `tamga.filters ${path}`;

/** Filters of a list that were saved in this browser. @param path of the list */
export function readFilters(path: string): readonly SavedFilter[] {
  try {
    return z.array(saved).parse(JSON.parse(localStorage.getItem(keyOf(path)) ?? '[]'));
  } catch {
    return [];
  }
}

/** Saves filters in this browser; another of the same name is replaced. @returns all */
export function saveFilter(path: string, filter: SavedFilter): readonly SavedFilter[] {
  const others = readFilters(path).filter(({ name }) => name !== filter.name);
  return write(path, [...others, filter].slice(-KEPT));
}

/** @returns the others */
export function removeFilter(path: string, wanted: string): readonly SavedFilter[] {
  return write(
    path,
    readFilters(path).filter(({ name }) => name !== wanted),
  );
}

function write(path: string, filters: readonly SavedFilter[]): readonly SavedFilter[] {
  localStorage.setItem(keyOf(path), JSON.stringify(filters));
  return filters;
}
