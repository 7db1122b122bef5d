import { Select } from '@mantine/core';
import { useRead } from '../../shared/api/useRead.ts';
import { CertificateTable } from '../../shared/records/tables.tsx';
import { certificateStatusWords, useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { FilterBar } from '../../shared/ui/FilterBar.tsx';
import { PageHeader } from '../../shared/ui/parts.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { search, statuses } from './area.ts';
import { texts } from './texts.ts';

export default function ListPage() {
  const t = useTexts(texts);
  const word = useWords(certificateStatusWords);
  const { filters, page, paging, setFilters, setPage } = useListSearch(search);
  const { q, status } = filters;
  const source = useRead('/v3/admin/certificates', {
    params: { query: { ...paging, ...(q && { q }), ...(status && { status }) } },
  });
  const isFiltered = q !== undefined || status !== undefined;
  return (
    <>
      <PageHeader title={t('nav')} lead={t('lead')} />
      <FilterBar
        q={q}
        onSearch={(next) => setFilters({ q: next })}
        placeholder={t('search')}
        hint={t('hint')}
      >
        <Select
          aria-label={t('status')}
          value={status ?? ''}
          allowDeselect={false}
          data={[
            { value: '', label: t('anyStatus') },
            ...statuses.map((value) => ({ value, label: word(value) })),
          ]}
          onChange={(next) => setFilters({ status: statuses.find((each) => each === next) })}
        />
      </FilterBar>
      <CertificateTable
        label={t('nav')}
        source={source}
        page={page}
        onPage={setPage}
        onClearFilters={
          isFiltered ? () => setFilters({ q: undefined, status: undefined }) : undefined
        }
      />
    </>
  );
}
