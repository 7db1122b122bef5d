import { useRead } from '../../shared/api/useRead.ts';
import { VerificationTable } from '../../shared/records/verifications.tsx';
import {
  methodWords,
  statusWords,
  verificationTexts,
} from '../../../../../api/pages/words/verificationWords.ts';
import { useTexts } from '../../shared/texts.ts';
import { CodeFilter } from '../../shared/ui/CodeFilter.tsx';
import { ListPage } from '../../shared/ui/ListPage.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { methods, search, statuses } from './search.ts';
import { texts } from './texts.ts';

export default function Page() {
  const t = useTexts(texts);
  const v = useTexts(verificationTexts);
  const method = useTexts(methodWords);
  const status = useTexts(statusWords);
  const { filters, query, searchField, table, setFilters } = useListSearch(search);
  const source = useRead('/v3/admin/identity-verifications', { params: { query } });
  return (
    <ListPage
      texts={texts}
      search={searchField}
      filters={
        <>
          <CodeFilter
            label={v('method')}
            any={t('anyMethod')}
            codes={methods}
            word={method}
            value={filters.method}
            onChange={(next) => setFilters({ method: next })}
          />
          <CodeFilter
            label={v('status')}
            any={t('anyStatus')}
            codes={statuses}
            word={status}
            value={filters.status}
            onChange={(next) => setFilters({ status: next })}
          />
        </>
      }
    >
      <VerificationTable label={t('nav')} source={source} {...table} />
    </ListPage>
  );
}
