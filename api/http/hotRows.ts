import Router from 'find-my-way';
import type { RawParams, Route } from './route.ts';

/** A row that takes a request, with the parts of its target. */
export interface FoundRow {
  readonly row: Route;
  readonly params: RawParams;
  /** The text after `?`, still encoded. */
  readonly query: string;
}

/** Finds rows by method and target; null: none takes it. */
export type RowFinder = (method: string, target: string) => FoundRow | null;

/** A small router over these rows; it only finds, it never calls. */
export function createRowFinder(rows: readonly Route[]): RowFinder {
  const router = Router({ maxParamLength: 1000, querystringParser: () => ({}) });
  for (const row of rows) {
    const methods: Router.HTTPMethod[] = row.method === 'GET' ? ['GET', 'HEAD'] : [row.method];
    // The row travels as the store.
    router.on(methods, row.path.replace(/\*\w+$/, '*'), () => undefined, row);
  }
  return (method, target) => {
    const found = router.find(method as Router.HTTPMethod, pathOf(target));
    if (found === null) return null;
    const mark = target.indexOf('?');
    const query = mark < 0 ? '' : target.slice(mark + 1);
    return { row: found.store as Route, params: found.params, query };
  };
}

/** A target without its query. */
export function pathOf(target: string): string {
  const mark = target.indexOf('?');
  return mark < 0 ? target : target.slice(0, mark);
}
