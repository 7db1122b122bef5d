import { type RowOf, useRead } from '../../shared/api/useRead.ts';
import { useTexts } from '../../shared/texts.ts';
import type { Column } from '../../shared/ui/columns.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { ListPage } from '../../shared/ui/ListPage.tsx';
import { StatusBadge, useFormats } from '../../shared/ui/parts.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { search } from './search.ts';
import { texts } from './texts.ts';

type Row = RowOf<'/v3/admin/users'>;

export default function Page() {
  const t = useTexts(texts);
  const { date } = useFormats();
  const { query, searchField, table } = useListSearch(search);
  const source = useRead('/v3/admin/users', { params: { query } });
  const columns: readonly Column<Row>[] = [
    {
      key: 'name',
      header: t('name'),
      cell: (row) => (row.forgotten ? t('forgotten') : `${row.lastName} ${row.firstName}`),
    },
    {
      key: 'regNo',
      header: t('regNo'),
      cell: (row) =>
        row.forgotten ? (
          <StatusBadge tone="neutral">{t('forgotten')}</StatusBadge>
        ) : (
          row.regNo.toUpperCase()
        ),
    },
    { key: 'civilId', header: t('civilId'), cell: (row) => row.civilId },
    {
      key: 'enrolledAt',
      sort: 'enrolledAt',
      header: t('enrolledAt'),
      cell: (row) => date(row.enrolledAt),
    },
  ];
  return (
    <ListPage texts={texts} search={searchField}>
      <DataTable
        label={t('nav')}
        columns={columns}
        source={source}
        rowKey={(row) => row.etsi}
        rowLink={(row) => `/citizens/${row.etsi}`}
        {...table}
      />
    </ListPage>
  );
}
