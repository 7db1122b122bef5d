import classes from './DataTable.module.css';
import type { Column } from './columns.ts';

/** Header of a column; a button where the list can be sorted by it: upwards, downwards, in its own order again. */
export function SortedHeader<Row>({
  column: { header, align, sort: name },
  sort,
  onSort,
}: {
  readonly column: Column<Row>;
  readonly sort: string | undefined;
  readonly onSort: ((sort: string | undefined) => void) | undefined;
}) {
  const isSortable = name !== undefined && onSort !== undefined;
  const way = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : 'none';
  const next = { none: name, ascending: `-${name}`, descending: undefined }[way];
  return (
    <th
      role="columnheader"
      scope="col"
      data-align={align}
      aria-sort={isSortable ? way : undefined}
      data-sortable={isSortable || undefined}
    >
      {isSortable ? (
        <button type="button" className={classes.sort} onClick={() => onSort(next)}>
          {header}
          <span aria-hidden>{{ none: '↕', ascending: '↑', descending: '↓' }[way]}</span>
        </button>
      ) : (
        header
      )}
    </th>
  );
}
