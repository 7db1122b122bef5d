import { type RowOf, useRead } from '../../shared/api/useRead.ts';
import { ActiveFilter } from '../../shared/records/ActiveFilter.tsx';
import { ActiveState } from '../../shared/records/statuses.tsx';
import { permissionWords } from '../../../../../api/pages/words/permissionWords.ts';
import { useTexts } from '../../shared/texts.ts';
import { CreateButton } from '../../shared/ui/CreateButton.tsx';
import type { Column } from '../../shared/ui/columns.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { ListPage } from '../../shared/ui/ListPage.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { search } from './search.ts';
import { texts } from './texts.ts';

type Row = RowOf<'/v3/admin/relying-parties'>;

export default function Page() {
  const t = useTexts(texts);
  const permissionName = useTexts(permissionWords);
  const { filters, query, searchField, table, setFilters } = useListSearch(search);
  const source = useRead('/v3/admin/relying-parties', { params: { query } });
  const columns: readonly Column<Row>[] = [
    {
      key: 'name',
      sort: 'name',
      header: t('relyingPartyName'),
      cell: (row) => row.relyingPartyName,
    },
    {
      key: 'permissions',
      header: t('permissions'),
      cell: (row) => row.permissions.map((each) => permissionName(each)).join(', '),
    },
    {
      key: 'hosts',
      header: t('callbackHosts'),
      cell: (row) => row.callbackHosts.join(', ') || '—',
    },
    {
      key: 'state',
      sort: 'active',
      header: t('state'),
      cell: (row) => <ActiveState isActive={row.active} />,
    },
  ];
  return (
    <ListPage
      texts={texts}
      actions={
        <CreateButton capability="rp:write" to="/relying-parties/new">
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
        rowKey={(row) => row.relyingPartyUUID}
        rowLink={(row) => `/relying-parties/${row.relyingPartyUUID}`}
        {...table}
      />
    </ListPage>
  );
}
