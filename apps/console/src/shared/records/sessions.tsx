import { type RowOf } from '../api/useRead.ts';
import { Name } from '../names.tsx';
import { useTexts } from '../texts.ts';
import type { Column } from '../ui/columns.ts';
import { DataTable } from '../ui/DataTable.tsx';
import { Timestamp } from '../ui/parts.tsx';
import { SessionOutcome } from './statuses.tsx';
import type { RecordTableProps } from './tables.tsx';
import { useSpan } from './Timeline.tsx';
import { recordTexts, sessionFlowWords, sessionKindWords, useWords } from './words.ts';

type SessionRow = RowOf<'/v3/admin/sessions'>;

/** Sessions. @param hidePerson on pages that are about one person */
export function SessionTable({
  hidePerson = false,
  ...list
}: RecordTableProps<SessionRow> & { readonly hidePerson?: boolean }) {
  const t = useTexts(recordTexts);
  const kind = useWords(sessionKindWords);
  const flow = useWords(sessionFlowWords);
  const span = useSpan();
  const person: Column<SessionRow> = {
    key: 'person',
    header: t('person'),
    cell: (row) => (row.personEtsi === null ? t('nobodyYet') : <Name id={row.personEtsi} />),
  };
  const columns: readonly Column<SessionRow>[] = [
    {
      key: 'kind',
      header: t('session'),
      cell: (row) => <span title={row.sessionId}>{kind(row.kind)}</span>,
    },
    ...(hidePerson ? [] : [person]),
    {
      key: 'relyingParty',
      header: t('relyingParty'),
      cell: (row) => <Name id={row.relyingPartyUUID} />,
    },
    {
      key: 'outcome',
      header: t('outcome'),
      cell: (row) => <SessionOutcome endResult={row.endResult} />,
    },
    { key: 'flow', header: t('flow'), cell: (row) => flow(row.flow) },
    {
      key: 'took',
      header: t('took'),
      cell: ({ startedAt, completedAt }) =>
        completedAt === null ? '—' : span(Date.parse(completedAt) - Date.parse(startedAt)),
    },
    {
      key: 'startedAt',
      sort: 'startedAt',
      header: t('at'),
      cell: (row) => <Timestamp value={row.startedAt} />,
    },
  ];
  return (
    <DataTable
      {...list}
      columns={columns}
      rowKey={(row) => row.sessionId}
      rowLink={(row) => `/sessions/${row.sessionId}`}
    />
  );
}
