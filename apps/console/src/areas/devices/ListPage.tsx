import { useRead } from '../../shared/api/useRead.ts';
import { ActiveFilter } from '../../shared/records/ActiveFilter.tsx';
import { DeviceTable } from '../../shared/records/tables.tsx';
import { useTexts } from '../../shared/texts.ts';
import { ListPage } from '../../shared/ui/ListPage.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { search } from './search.ts';
import { texts } from './texts.ts';

export default function Page() {
  const t = useTexts(texts);
  const { filters, query, searchField, table, setFilters } = useListSearch(search);
  const source = useRead('/v3/admin/devices', { params: { query } });
  return (
    <ListPage
      texts={texts}
      search={searchField}
      filters={
        <ActiveFilter value={filters.active} onChange={(active) => setFilters({ active })} />
      }
    >
      <DeviceTable label={t('nav')} source={source} {...table} />
    </ListPage>
  );
}
