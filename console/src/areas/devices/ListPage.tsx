import { SegmentedControl } from '@mantine/core';
import { useRead } from '../../shared/api/useRead.ts';
import { DeviceTable } from '../../shared/records/tables.tsx';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useTexts } from '../../shared/texts.ts';
import { FilterBar } from '../../shared/ui/FilterBar.tsx';
import { PageHeader } from '../../shared/ui/parts.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { search } from './area.ts';
import { texts } from './texts.ts';

export default function ListPage() {
  const t = useTexts(texts);
  const s = useTexts(sharedTexts);
  const { filters, page, paging, setFilters, setPage } = useListSearch(search);
  const { q, active } = filters;
  const source = useRead('/v3/admin/devices', {
    params: { query: { ...paging, ...(q && { q }), ...(active && { active }) } },
  });
  const isFiltered = q !== undefined || active !== undefined;
  return (
    <>
      <PageHeader title={t('nav')} lead={t('lead')} />
      <FilterBar
        q={q}
        onSearch={(next) => setFilters({ q: next })}
        placeholder={t('search')}
        hint={t('hint')}
      >
        <SegmentedControl
          aria-label={t('state')}
          value={active ?? ''}
          data={[
            { value: '', label: s('all') },
            { value: 'true', label: t('active') },
            { value: 'false', label: t('inactive') },
          ]}
          onChange={(next) => setFilters({ active: next === '' ? undefined : next })}
        />
      </FilterBar>
      <DeviceTable
        label={t('nav')}
        source={source}
        page={page}
        onPage={setPage}
        onClearFilters={
          isFiltered ? () => setFilters({ q: undefined, active: undefined }) : undefined
        }
      />
    </>
  );
}
