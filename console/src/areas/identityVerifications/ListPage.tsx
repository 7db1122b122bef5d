import { useRead } from '../../shared/api/useRead.ts';
import { useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { CodeFilter } from '../../shared/ui/CodeFilter.tsx';
import { type Column, DataTable } from '../../shared/ui/DataTable.tsx';
import { FilterBar } from '../../shared/ui/FilterBar.tsx';
import { PageHeader, Timestamp } from '../../shared/ui/parts.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { methods, search, statuses } from './area.ts';
import { type Row, Status } from './Status.tsx';
import { failureWords, methodWords, statusWords, texts } from './texts.ts';

export default function ListPage() {
  const t = useTexts(texts);
  const method = useWords(methodWords);
  const status = useWords(statusWords);
  const { filters, page, paging, setFilters, setPage } = useListSearch(search);
  const { q, method: ofMethod, status: ofStatus } = filters;
  const chosen = {
    ...(q && { q }),
    ...(ofMethod && { method: ofMethod }),
    ...(ofStatus && { status: ofStatus }),
  };
  const source = useRead('/v3/admin/identity-verifications', {
    params: { query: { ...paging, ...chosen } },
  });
  return (
    <>
      <PageHeader title={t('nav')} lead={t('lead')} />
      <FilterBar
        q={q}
        onSearch={(next) => setFilters({ q: next })}
        placeholder={t('search')}
        hint={t('hint')}
      >
        <CodeFilter
          {...{ label: t('method'), any: t('anyMethod'), codes: methods, word: method }}
          value={ofMethod}
          onChange={(next) => setFilters({ method: next })}
        />
        <CodeFilter
          {...{ label: t('status'), any: t('anyStatus'), codes: statuses, word: status }}
          value={ofStatus}
          onChange={(next) => setFilters({ status: next })}
        />
      </FilterBar>
      <DataTable
        label={t('nav')}
        columns={useColumns()}
        source={source}
        rowKey={(row) => row.verificationId}
        rowLink={(row) => `/identity-verifications/${row.verificationId}`}
        page={page}
        onPage={setPage}
        onClearFilters={
          Object.keys(chosen).length === 0
            ? undefined
            : () => setFilters({ q: undefined, method: undefined, status: undefined })
        }
      />
    </>
  );
}

function useColumns(): readonly Column<Row>[] {
  const t = useTexts(texts);
  const method = useWords(methodWords);
  const failure = useWords(failureWords);
  return [
    { key: 'id', header: t('id'), cell: (row) => row.verificationId },
    { key: 'method', header: t('method'), cell: (row) => method(row.method) },
    { key: 'status', header: t('status'), cell: (row) => <Status status={row.status} /> },
    { key: 'person', header: t('person'), cell: (row) => row.personEtsi ?? '—' },
    {
      key: 'failure',
      header: t('failure'),
      cell: (row) => (row.failure === null ? '—' : failure(row.failure)),
    },
    {
      key: 'startedAt',
      header: t('startedAt'),
      cell: (row) => <Timestamp value={row.startedAt} />,
    },
  ];
}
