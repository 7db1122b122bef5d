import { Button, Group, NativeSelect, Pagination, Skeleton, Stack, Text } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { IconInbox } from '@tabler/icons-react';
import { SortedHeader } from './SortedHeader.tsx';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import type { ListPart } from '../api/useRead.ts';
import { NamesOf } from '../names.tsx';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';
import { pageSizes } from '../useListSearch.ts';
import classes from './DataTable.module.css';
import type { Column, Part } from './columns.ts';
import { ExportButtons } from './ExportButtons.tsx';
import { ProblemAlert } from './ProblemAlert.tsx';

/** Data of a list; the result of {@link useRead} fits. */
export interface TableSource<Row> {
  readonly data?: Part<Row> | undefined;
  readonly error: unknown;
  readonly isPlaceholderData?: boolean;
  readonly refetch: () => unknown;
  /** Reads another part of the list, for its export. */
  readonly readPart?: (part: ListPart) => Promise<Part<Row>>;
}

export interface DataTableProps<Row> {
  /** Accessible name. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly source: TableSource<Row>;
  readonly rowKey: (row: Row) => string;
  /** Path of the row's page. */
  readonly rowLink?: (row: Row) => string | null;
  /** Page number from 1; omitted: a single page. */
  readonly page?: number;
  /** Rows of a page; default the first of {@link pageSizes}. */
  readonly pageSize?: number;
  readonly onPageSize?: (size: number) => void;
  /** True for a complete list inside a `Section`, which is its frame. */
  readonly isWhole?: boolean;
  /** @param snapshot of the list, with which further pages show no row twice */
  readonly onPage?: (page: number, snapshot: string | undefined) => void;
  /** Order as in the API; undefined: the list's own. */
  readonly sort?: string | undefined;
  /** Sorts the list; omitted: it has one order. */
  readonly onSort?: (sort: string | undefined) => void;
  /** Addition to the usual sentence of an empty list. */
  readonly empty?: ReactNode;
  /** Clears the filters; given when some are set. */
  readonly onClearFilters?: (() => void) | undefined;
}

/**
 * A list of the API: a table, below 48 em one card per row. Includes loading, empty and failed
 * states.
 *
 * @example see apps/console/src/areas/relyingParties/ListPage.tsx
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, source } = props;
  const { data, error } = source;
  const frame = useRef<HTMLDivElement>(null);
  useWindowEvent('keydown', (event) => {
    if (props.onPage !== undefined) enterRows(event, frame.current);
  });
  if (error !== null && error !== undefined && data === undefined) {
    return <ProblemAlert error={error} onRetry={() => void source.refetch()} />;
  }
  if (data?.items.length === 0) return <Empty {...props} />;
  return (
    <Stack gap="sm">
      {error !== null && error !== undefined && (
        <ProblemAlert error={error} onRetry={() => void source.refetch()} />
      )}
      {/* Tables with other things beside them may have to be scrolled, and hold no link to move to. */}
      <div
        ref={frame}
        className={classes.frame}
        data-whole={props.isWhole}
        tabIndex={props.isWhole === true ? 0 : undefined}
      >
        {/* Explicit roles, which survive the styling as cards. */}
        <table
          role="table"
          aria-label={label}
          aria-busy={data === undefined || source.isPlaceholderData === true}
          className={classes.table}
          onKeyDown={moveThroughRows}
        >
          <thead role="rowgroup">
            <tr role="row">
              {columns.map((column) => (
                <SortedHeader
                  key={column.key}
                  column={column}
                  sort={props.sort}
                  onSort={props.onSort}
                />
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {data === undefined ? (
              <Waiting columns={columns.length} />
            ) : (
              <NamesOf answer={data}>
                <Rows {...props} />
              </NamesOf>
            )}
          </tbody>
        </table>
      </div>
      {props.isWhole !== true && <Pages {...props} />}
    </Stack>
  );
}

/** Arrow down leads to the first row of a page's list while the focus is nowhere. */
function enterRows(event: globalThis.KeyboardEvent, frame: HTMLElement | null): void {
  if (event.key !== 'ArrowDown' || event.altKey || event.ctrlKey || event.metaKey) return;
  if (document.activeElement !== document.body) return;
  const first = frame?.querySelector<HTMLElement>('[data-row-link]');
  if (first === null || first === undefined) return;
  event.preventDefault();
  first.focus();
}

/** Arrows, or j and k, lead from the link of one row to that of the next. */
function moveThroughRows(event: KeyboardEvent<HTMLTableElement>) {
  const { key, altKey, ctrlKey, metaKey } = event;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row-link]')];
  const here = links.indexOf(document.activeElement as HTMLElement);
  if (here < 0 || altKey || ctrlKey || metaKey) return;
  const wanted: Readonly<Record<string, number>> = {
    ArrowDown: here + 1,
    j: here + 1,
    ArrowUp: here - 1,
    k: here - 1,
    Home: 0,
    End: links.length - 1,
  };
  const next = wanted[key];
  if (next === undefined) return;
  event.preventDefault();
  links[next]?.focus();
}

function Rows<Row>({ columns, source, rowKey, rowLink }: DataTableProps<Row>) {
  return (source.data?.items ?? []).map((row) => {
    const to = rowLink?.(row) ?? null;
    return (
      <tr role="row" key={rowKey(row)} className={to === null ? undefined : classes.linked}>
        {columns.map(({ key, header, cell, align }, index) => (
          <td role="cell" key={key} data-label={header} data-align={align}>
            {index === 0 && to !== null ? (
              <Link to={to} className={classes.link} data-row-link>
                {cell(row)}
              </Link>
            ) : (
              cell(row)
            )}
          </td>
        ))}
      </tr>
    );
  });
}

function Waiting({ columns }: { readonly columns: number }) {
  const t = useTexts(sharedTexts);
  return Array.from({ length: 6 }, (_, row) => (
    <tr role="row" key={row}>
      {Array.from({ length: columns }, (_, column) => (
        <td role="cell" key={column}>
          <Skeleton height={14} radius="sm" width={column === 0 ? '70%' : '50%'} />
          {row === 0 && column === 0 && <span className={classes.unseen}>{t('loading')}</span>}
        </td>
      ))}
    </tr>
  ));
}

function Empty<Row>({ empty, onClearFilters }: DataTableProps<Row>) {
  const t = useTexts(sharedTexts);
  return (
    <Stack align="center" gap="xs" className={classes.empty}>
      <IconInbox size={36} stroke={1.2} aria-hidden />
      <Text>{t(onClearFilters === undefined ? 'empty' : 'emptyFiltered')}</Text>
      {onClearFilters === undefined ? (
        empty
      ) : (
        <Button variant="default" size="xs" onClick={onClearFilters}>
          {t('clearFilters')}
        </Button>
      )}
    </Stack>
  );
}

function Pages<Row>(props: DataTableProps<Row>) {
  const t = useTexts(sharedTexts);
  const { source, page = 1, pageSize = pageSizes[0], onPage } = props;
  const { data } = source;
  if (data === undefined) return null;
  const { total, items, totalIsExact = true } = data;
  const from = (page - 1) * pageSize + 1;
  const values = { total, from, to: from + items.length - 1 };
  // More than what is on this page: there is another.
  const isFollowed = !totalIsExact && items.length === pageSize && total <= page * pageSize;
  const pages = Math.ceil(total / pageSize) + (isFollowed ? 1 : 0);
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" aria-live="polite">
        {t(totalIsExact ? 'rows' : 'rowsMore', values)}
      </Text>
      <Extent {...props} total={total} />
      {onPage !== undefined && pages > 1 && (
        <Pagination
          total={pages}
          value={page}
          onChange={(next) => onPage(next, data.snapshot ?? undefined)}
          size="sm"
          aria-label={t('pages')}
          getControlProps={(control) => ({
            'aria-label': control === 'next' ? t('next') : t('previous'),
          })}
        />
      )}
    </Group>
  );
}

/** Rows of a page, and the list as a file. */
function Extent<Row>({
  total,
  label,
  columns,
  source: { readPart },
  pageSize = pageSizes[0],
  onPage,
  onPageSize,
}: DataTableProps<Row> & { readonly total: number }) {
  const t = useTexts(sharedTexts);
  return (
    <Group gap="sm">
      {onPageSize !== undefined && total > pageSizes[0] && (
        <NativeSelect
          size="xs"
          aria-label={t('pageSize')}
          value={String(pageSize)}
          data={pageSizes.map((size) => ({
            value: String(size),
            label: t('rowsPerPage', { count: size }),
          }))}
          onChange={({ currentTarget }) => onPageSize(Number(currentTarget.value))}
        />
      )}
      {onPage !== undefined && readPart !== undefined && (
        <ExportButtons label={label} columns={columns} readPart={readPart} />
      )}
    </Group>
  );
}
