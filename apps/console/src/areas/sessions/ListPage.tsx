import { useRead } from '../../shared/api/useRead.ts';
import { SessionTable } from '../../shared/records/sessions.tsx';
import { sessionFlowWords, sessionKindWords, useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { CodeFilter } from '../../shared/ui/CodeFilter.tsx';
import { DayFilters, dayStart } from '../../shared/ui/DayFilters.tsx';
import { ListPage } from '../../shared/ui/ListPage.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { flows, kinds, outcomes, search } from './search.ts';
import { outcomeWords, texts } from './texts.ts';

export default function Page() {
  const t = useTexts(texts);
  const kind = useWords(sessionKindWords);
  const flow = useWords(sessionFlowWords);
  const outcome = useWords(outcomeWords);
  const { filters, query, searchField, table, setFilters } = useListSearch(search);
  const { from, to } = filters;
  const source = useRead('/v3/admin/sessions', {
    params: {
      query: {
        ...query,
        ...(from !== undefined && { from: dayStart(from) }),
        ...(to !== undefined && { to: dayStart(to, 1) }),
      },
    },
  });
  return (
    <ListPage
      texts={texts}
      search={searchField}
      filters={
        <>
          <CodeFilter
            label={t('outcome')}
            any={t('anyOutcome')}
            codes={outcomes}
            word={outcome}
            value={filters.outcome}
            onChange={(next) => setFilters({ outcome: next })}
          />
          <CodeFilter
            label={t('kind')}
            any={t('anyKind')}
            codes={kinds}
            word={kind}
            value={filters.kind}
            onChange={(next) => setFilters({ kind: next })}
          />
          <CodeFilter
            label={t('flow')}
            any={t('anyFlow')}
            codes={flows}
            word={flow}
            value={filters.flow}
            onChange={(next) => setFilters({ flow: next })}
          />
          <DayFilters from={from} to={to} onChange={setFilters} />
        </>
      }
    >
      <SessionTable label={t('nav')} source={source} {...table} />
    </ListPage>
  );
}
