import { Select } from '@mantine/core';
import { z } from '../../shared/zod.ts';
import { useRead } from '../../shared/api/useRead.ts';
import { Name } from '../../shared/names.tsx';
import { auditWords } from '../../shared/records/auditWords.ts';
import type { AuditRow } from '../../shared/records/statuses.tsx';
import { ActorName } from '../../shared/records/subjects.tsx';
import { sessionFlowWords, sessionKindWords, useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { type Column, DataTable } from '../../shared/ui/DataTable.tsx';
import { ListPage } from '../../shared/ui/ListPage.tsx';
import { Timestamp } from '../../shared/ui/parts.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { search, sessionEvents } from './search.ts';
import { texts } from './texts.ts';

export default function Page() {
  const t = useTexts(texts);
  const word = useWords(auditWords);
  const { filters, paging, table, setFilters } = useListSearch(search);
  const { subject, event = 'SESSION_START' } = filters;
  const source = useRead('/v3/admin/audit', {
    params: { query: { ...paging, type: event, ...(subject && { subject }) } },
  });
  return (
    <ListPage
      texts={texts}
      search={{ q: subject, onSearch: (next) => setFilters({ subject: next }) }}
      filters={
        <Select
          aria-label={t('event')}
          value={event}
          allowDeselect={false}
          data={sessionEvents.map((value) => ({ value, label: word(value) }))}
          onChange={(next) => setFilters({ event: sessionEvents.find((each) => each === next) })}
        />
      }
    >
      <DataTable
        label={t('nav')}
        columns={useColumns()}
        source={source}
        rowKey={(row) => row.eventId}
        rowLink={(row) => `/sessions/${row.subject}`}
        {...table}
      />
    </ListPage>
  );
}

/** Fields of a session's first event shown beside its time. */
const sessionFacts = z.object({ kind: z.string().optional(), flow: z.string().optional() });

function useColumns(): readonly Column<AuditRow>[] {
  const t = useTexts(texts);
  const word = useWords(auditWords);
  const kind = useWords(sessionKindWords);
  const flow = useWords(sessionFlowWords);
  return [
    { key: 'session', header: t('session'), cell: (row) => <Name id={row.subject} /> },
    {
      key: 'event',
      header: t('event'),
      cell: ({ type, details }) => {
        const said = sessionFacts.parse(details);
        return [word(type), said.kind && kind(said.kind), said.flow && flow(said.flow)]
          .filter((each) => each !== undefined)
          .join(' · ');
      },
    },
    { key: 'who', header: t('who'), cell: (row) => <ActorName actor={row.actor} /> },
    {
      key: 'person',
      header: t('person'),
      cell: (row) => (row.person === null ? '—' : <Name id={row.person} />),
    },
    { key: 'at', header: t('at'), cell: (row) => <Timestamp value={row.at} /> },
  ];
}
