import { useRead } from '../../shared/api/useRead.ts';
import { useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { CodeFilter } from '../../shared/ui/CodeFilter.tsx';
import type { Column } from '../../shared/ui/columns.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { ListPage } from '../../shared/ui/ListPage.tsx';
import { Timestamp } from '../../shared/ui/parts.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { search, statuses } from './search.ts';
import { type Row, Status } from './Status.tsx';
import { formatWords, statusWords, texts, typeWords } from './texts.ts';

export default function Page() {
  const t = useTexts(texts);
  const word = useWords(statusWords);
  const { filters, query, searchField, table, setFilters } = useListSearch(search);
  const source = useRead('/v3/admin/documents', { params: { query } });
  return (
    <ListPage
      texts={texts}
      search={searchField}
      filters={
        <CodeFilter
          label={t('status')}
          any={t('anyStatus')}
          codes={statuses}
          word={word}
          value={filters.status}
          onChange={(next) => setFilters({ status: next })}
        />
      }
    >
      <DataTable
        label={t('nav')}
        columns={useColumns()}
        source={source}
        rowKey={(row) => row.id}
        rowLink={(row) => `/documents/${row.id}`}
        {...table}
      />
    </ListPage>
  );
}

function useColumns(): readonly Column<Row>[] {
  const t = useTexts(texts);
  const type = useWords(typeWords);
  const format = useWords(formatWords);
  return [
    { key: 'title', header: t('title'), cell: (row) => row.title },
    { key: 'type', header: t('docType'), cell: (row) => type(row.doc_type) },
    { key: 'status', header: t('status'), cell: (row) => <Status status={row.status} /> },
    { key: 'format', header: t('format'), cell: (row) => format(row.format) },
    {
      key: 'signed',
      header: t('signed'),
      cell: ({ signers }) =>
        t('signedOf', {
          signed: signers.filter((each) => each.signed_at !== null).length,
          all: signers.length,
        }),
    },
    {
      key: 'created',
      sort: 'createdAt',
      header: t('createdAt'),
      cell: (row) => <Timestamp value={row.created_at} />,
    },
  ];
}
