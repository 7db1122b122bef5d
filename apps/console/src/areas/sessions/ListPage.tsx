import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { may, useAccount } from '../../shared/account.ts';
import { useRead } from '../../shared/api/useRead.ts';
import { SessionTable } from '../../shared/records/sessions.tsx';
import { sessionFlowWords, sessionKindWords, useWords } from '../../shared/records/words.ts';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useTexts } from '../../shared/texts.ts';
import { CodeFilter } from '../../shared/ui/CodeFilter.tsx';
import { DayFilters, dayStart } from '../../shared/ui/DayFilters.tsx';
import { ListPage } from '../../shared/ui/ListPage.tsx';
import { useFormats } from '../../shared/ui/parts.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { PartyFilter } from './PartyFilter.tsx';
import { durations, flows, kinds, outcomes, search } from './search.ts';
import { outcomeWords, texts } from './texts.ts';

/** Period that a chart counted, and the way back to days. */
function Moments({
  since,
  until,
  onClear,
}: {
  readonly since: string;
  readonly until: string;
  readonly onClear: () => void;
}) {
  const s = useTexts(sharedTexts);
  const { time } = useFormats();
  return (
    <Button
      variant="default"
      title={s('clearFilters')}
      rightSection={<IconX size={14} aria-hidden />}
      onClick={onClear}
    >
      {time(since)} – {time(until)}
    </Button>
  );
}

export default function Page() {
  const t = useTexts(texts);
  const kind = useWords(sessionKindWords);
  const flow = useWords(sessionFlowWords);
  const outcome = useWords(outcomeWords);
  const { filters, query, searchField, table, setFilters } = useListSearch(search);
  const mayFilter = may(useAccount(), 'rp:read');
  const { from, to } = filters;
  const { since, until, minSeconds, ...wished } = query;
  const source = useRead('/v3/admin/sessions', {
    params: {
      query: {
        ...wished,
        ...(minSeconds !== undefined && { minSeconds: Number(minSeconds) }),
        ...(from !== undefined && { from: dayStart(from) }),
        ...(to !== undefined && { to: dayStart(to, 1) }),
        ...(since !== undefined && { from: since }),
        ...(until !== undefined && { to: until }),
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
          <CodeFilter
            label={t('took')}
            any={t('anyDuration')}
            codes={durations}
            word={(seconds) => t('tookAtLeast', { seconds })}
            value={filters.minSeconds}
            onChange={(next) => setFilters({ minSeconds: next })}
          />
          {mayFilter && (
            <PartyFilter
              value={filters.relyingParty}
              onChange={(relyingParty) => setFilters({ relyingParty })}
            />
          )}
          {since !== undefined && until !== undefined ? (
            <Moments
              since={since}
              until={until}
              onClear={() => setFilters({ since: undefined, until: undefined })}
            />
          ) : (
            <DayFilters from={from} to={to} onChange={setFilters} />
          )}
        </>
      }
    >
      <SessionTable label={t('nav')} source={source} {...table} />
    </ListPage>
  );
}
