import { Select } from '@mantine/core';
import { type RowOf, useRead } from '../../shared/api/useRead.ts';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useTexts } from '../../shared/texts.ts';
import { CreateButton } from '../../shared/ui/CreateButton.tsx';
import type { Column } from '../../shared/ui/columns.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { ListPage } from '../../shared/ui/ListPage.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { search, statuses } from './search.ts';
import { Status } from './Status.tsx';
import { texts } from './texts.ts';

type Row = RowOf<'/v3/admin/organizations'>;

export default function Page() {
  const t = useTexts(texts);
  const s = useTexts(sharedTexts);
  const { filters, query, searchField, table, setFilters } = useListSearch(search);
  const source = useRead('/v3/admin/organizations', { params: { query } });
  const columns: readonly Column<Row>[] = [
    { key: 'name', sort: 'name', header: t('name'), cell: ({ name }) => name },
    { key: 'nameLatin', header: t('nameLatin'), cell: ({ nameLatin }) => nameLatin ?? '—' },
    {
      key: 'orgRegister',
      sort: 'orgRegister',
      header: t('orgRegister'),
      cell: ({ orgRegister }) => orgRegister,
    },
    {
      key: 'status',
      sort: 'status',
      header: t('status'),
      cell: (row) => <Status status={row.status} />,
    },
  ];
  return (
    <ListPage
      texts={texts}
      actions={
        <CreateButton capability="org:write" to="/organizations/new">
          {t('register')}
        </CreateButton>
      }
      search={searchField}
      filters={
        <Select
          aria-label={t('status')}
          placeholder={s('all')}
          clearable
          clearButtonProps={{ 'aria-label': s('clearFilters') }}
          value={filters.status ?? null}
          data={statuses.map((value) => ({ value, label: t(value) }))}
          onChange={(next) => setFilters({ status: next ?? undefined })}
        />
      }
    >
      <DataTable
        label={t('nav')}
        columns={columns}
        source={source}
        rowKey={({ orgEtsi }) => orgEtsi}
        rowLink={({ orgEtsi }) => `/organizations/${orgEtsi}`}
        {...table}
      />
    </ListPage>
  );
}
