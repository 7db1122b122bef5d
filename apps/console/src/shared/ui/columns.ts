import type { ReactNode } from 'react';

/** Column of a table of rows. */
export interface Column<Row> {
  /** Unique key of the column; the first column links to the row's page. */
  readonly key: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: 'end';
  /** True for a column of commands, which is no part of the list as a file. */
  readonly isActions?: true;
  /** Name by which the API sorts the list by it; omitted: it cannot. */
  readonly sort?: string;
}

/** Part of a list, as the API answers. */
export interface Part<Row> {
  readonly items: readonly Row[];
  readonly total: number;
  readonly totalIsExact?: boolean;
  readonly snapshot?: string | null;
}
