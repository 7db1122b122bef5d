import { useRead } from '../../shared/api/useRead.ts';
import { CertificateTable } from '../../shared/records/tables.tsx';
import { certificateStatusWords, useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { CodeFilter } from '../../shared/ui/CodeFilter.tsx';
import { FilterBar } from '../../shared/ui/FilterBar.tsx';
import { PageHeader } from '../../shared/ui/parts.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { search, statuses } from './search.ts';
import { texts } from './texts.ts';

export default function ListPage() {
  const t = useTexts(texts);
  const word = useWords(certificateStatusWords);
  const { filters, query, searchField, table, setFilters } = useListSearch(search);
  const source = useRead('/v3/admin/certificates', { params: { query } });
  return (
    <>
      <PageHeader title={t('nav')} lead={t('lead')} />
      <FilterBar {...searchField} placeholder={t('search')} hint={t('hint')}>
        <CodeFilter
          label={t('status')}
          any={t('anyStatus')}
          codes={statuses}
          word={word}
          value={filters.status}
          onChange={(status) => setFilters({ status })}
        />
      </FilterBar>
      <CertificateTable label={t('nav')} source={source} {...table} />
    </>
  );
}
