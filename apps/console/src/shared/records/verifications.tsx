import type { RowOf } from '../api/useRead.ts';
import { Name } from '../names.tsx';
import { useTexts } from '../texts.ts';
import type { Column } from '../ui/columns.ts';
import { DataTable } from '../ui/DataTable.tsx';
import { StatusBadge, Timestamp, type Tone } from '../ui/parts.tsx';
import type { RecordTableProps } from './tables.tsx';
import {
  failureWords,
  methodWords,
  statusWords,
  verificationTexts,
} from '../../../../../api/pages/words/verificationWords.ts';

export type VerificationRow = RowOf<'/v3/admin/identity-verifications'>;

const tones = {
  PENDING: 'info',
  VERIFIED: 'good',
  EXHAUSTED: 'bad',
  EXPIRED: 'neutral',
  CANCELLED: 'neutral',
} as const satisfies Record<VerificationRow['status'], Tone>;

/** Status of an identity verification. */
export function VerificationStatus({ status }: Pick<VerificationRow, 'status'>) {
  const word = useTexts(statusWords);
  return <StatusBadge tone={tones[status]}>{word(status)}</StatusBadge>;
}

/** Identity verifications. @param hidePerson on pages that are about one person */
export function VerificationTable({
  hidePerson = false,
  ...list
}: RecordTableProps<VerificationRow> & { readonly hidePerson?: boolean }) {
  const t = useTexts(verificationTexts);
  const method = useTexts(methodWords);
  const failure = useTexts(failureWords);
  const person: Column<VerificationRow> = {
    key: 'person',
    header: t('person'),
    cell: (row) => (row.personEtsi === null ? '—' : <Name id={row.personEtsi} />),
  };
  const columns: readonly Column<VerificationRow>[] = [
    {
      key: 'method',
      header: t('method'),
      cell: (row) => <span title={row.verificationId}>{method(row.method)}</span>,
    },
    {
      key: 'status',
      header: t('status'),
      cell: (row) => <VerificationStatus status={row.status} />,
    },
    ...(hidePerson ? [] : [person]),
    {
      key: 'failure',
      header: t('failure'),
      cell: (row) => (row.failure === null ? '—' : failure(row.failure)),
    },
    {
      key: 'startedAt',
      sort: 'startedAt',
      header: t('startedAt'),
      cell: (row) => <Timestamp value={row.startedAt} />,
    },
  ];
  return (
    <DataTable
      {...list}
      columns={columns}
      rowKey={(row) => row.verificationId}
      rowLink={(row) => `/identity-verifications/${row.verificationId}`}
    />
  );
}
