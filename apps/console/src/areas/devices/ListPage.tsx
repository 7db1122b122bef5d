import { useRead } from '../../shared/api/useRead.ts';
import { ActiveFilter } from '../../shared/records/ActiveFilter.tsx';
import { DeviceTable } from '../../shared/records/tables.tsx';
import { useTexts } from '../../shared/texts.ts';
import { FilterBar } from '../../shared/ui/FilterBar.tsx';
import { PageHeader } from '../../shared/ui/parts.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { search } from './search.ts';
import { texts } from './texts.ts';

export default function ListPage() {
  const t = useTexts(texts);
  const { filters, query, searchField, table, setFilters } = useListSearch(search);
  const source = useRead('/v3/admin/devices', { params: { query } });
  return (
    <>
      <PageHeader title={t('nav')} lead={t('lead')} />
      <FilterBar {...searchField} placeholder={t('search')} hint={t('hint')}>
        <ActiveFilter value={filters.active} onChange={(active) => setFilters({ active })} />
      </FilterBar>
      <DeviceTable label={t('nav')} source={source} {...table} />
    </>
  );
}
