import { type RowOf, useRead } from '../../shared/api/useRead.ts';
import { ActiveFilter } from '../../shared/records/ActiveFilter.tsx';
import { ActiveState } from '../../shared/records/statuses.tsx';
import { useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { CreateButton } from '../../shared/ui/CreateButton.tsx';
import type { Column } from '../../shared/ui/columns.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { ListPage } from '../../shared/ui/ListPage.tsx';
import { Timestamp } from '../../shared/ui/parts.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { search } from './search.ts';
import { scopeWords, texts } from './texts.ts';

type Row = RowOf<'/v3/admin/oidc-clients'>;

export default function Page() {
  const t = useTexts(texts);
  const scope = useWords(scopeWords);
  const { filters, query, searchField, table, setFilters } = useListSearch(search);
  const source = useRead('/v3/admin/oidc-clients', { params: { query } });
  const columns: readonly Column<Row>[] = [
    { key: 'name', sort: 'name', header: t('name'), cell: (row) => row.name },
    { key: 'scopes', header: t('scopes'), cell: (row) => row.scopes.map(scope).join(' · ') },
    { key: 'authMethod', header: t('authentication'), cell: (row) => row.authMethod },
    {
      key: 'state',
      sort: 'active',
      header: t('state'),
      cell: (row) => <ActiveState isActive={row.active} />,
    },
    {
      key: 'registeredAt',
      sort: 'registeredAt',
      header: t('registeredAt'),
      cell: (row) => <Timestamp value={row.registeredAt} />,
    },
  ];
  return (
    <ListPage
      texts={texts}
      actions={
        <CreateButton capability="rp:write" to="/oidc-clients/new">
          {t('register')}
        </CreateButton>
      }
      search={searchField}
      filters={
        <ActiveFilter value={filters.active} onChange={(active) => setFilters({ active })} />
      }
    >
      <DataTable
        label={t('nav')}
        columns={columns}
        source={source}
        rowKey={(row) => row.clientId}
        rowLink={(row) => `/oidc-clients/${row.clientId}`}
        {...table}
      />
    </ListPage>
  );
}
