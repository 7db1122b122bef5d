import { may, useAccount } from '../../shared/account.ts';
import { useRead } from '../../shared/api/useRead.ts';
import { CertificateTable } from '../../shared/records/tables.tsx';
import { certificateStatusWords, useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { CodeFilter } from '../../shared/ui/CodeFilter.tsx';
import { ListPage } from '../../shared/ui/ListPage.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { Revoke } from './Revoke.tsx';
import { search, statuses } from './search.ts';
import { texts } from './texts.ts';

export default function Page() {
  const t = useTexts(texts);
  const word = useWords(certificateStatusWords);
  const { filters, query, searchField, table, setFilters } = useListSearch(search);
  const mayRevoke = may(useAccount(), 'cert:revoke');
  const source = useRead('/v3/admin/certificates', { params: { query } });
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
          onChange={(status) => setFilters({ status })}
        />
      }
    >
      <CertificateTable
        label={t('nav')}
        source={source}
        {...table}
        more={
          mayRevoke
            ? [
                {
                  key: 'revoke',
                  isActions: true,
                  header: t('actions'),
                  cell: (row) => <Revoke certificate={row} only="revoke" />,
                },
              ]
            : []
        }
      />
    </ListPage>
  );
}
