import { useTexts } from '../texts.ts';
import type { Column } from '../ui/columns.ts';
import { DataTable, type DataTableProps } from '../ui/DataTable.tsx';
import { Timestamp, useFormats } from '../ui/parts.tsx';
import {
  ActiveState,
  AuditOutcome,
  type AuditRow,
  type CertificateRow,
  CertificateStatus,
  type DeviceRow,
} from './statuses.tsx';
import { Name } from '../names.tsx';
import { ActorName } from './subjects.tsx';
import { auditWords, certificateTypeWords, platformWords, recordTexts, useWords } from './words.ts';

/** Properties a page sets of a list of records; the rest is shared. */
export type RecordTableProps<Row> = Omit<DataTableProps<Row>, 'columns' | 'rowKey' | 'rowLink'>;

export function DeviceTable({
  hideOwner = false,
  ...list
}: RecordTableProps<DeviceRow> & { readonly hideOwner?: boolean }) {
  const t = useTexts(recordTexts);
  const platform = useWords(platformWords);
  const owner: Column<DeviceRow> = {
    key: 'owner',
    header: t('owner'),
    cell: (row) => row.owner.name,
  };
  const columns: readonly Column<DeviceRow>[] = [
    ...(hideOwner ? [] : [owner]),
    {
      key: 'platform',
      header: t('device'),
      cell: (row) => <span title={row.documentNumber}>{platform(row.platform)}</span>,
    },
    { key: 'state', header: t('state'), cell: (row) => <ActiveState isActive={row.active} /> },
    {
      key: 'enrolledAt',
      sort: 'enrolledAt',
      header: t('enrolledAt'),
      cell: (row) => <Timestamp value={row.enrolledAt} />,
    },
  ];
  return (
    <DataTable
      {...list}
      columns={columns}
      rowKey={(row) => row.documentNumber}
      rowLink={(row) => `/devices/${row.documentNumber}`}
    />
  );
}

/** Name of a certificate's holder. */
export function useHolderName(): (holder: CertificateRow['holder']) => string {
  const t = useTexts(recordTexts);
  return (holder) => (holder.kind === 'service' ? t('service') : holder.name);
}

export function CertificateTable({
  hideHolder = false,
  more = [],
  ...list
}: RecordTableProps<CertificateRow> & {
  readonly hideHolder?: boolean;
  /** Columns behind the others. */
  readonly more?: readonly Column<CertificateRow>[];
}) {
  const t = useTexts(recordTexts);
  const type = useWords(certificateTypeWords);
  const holderName = useHolderName();
  const { date } = useFormats();
  const holder: Column<CertificateRow> = {
    key: 'holder',
    header: t('holder'),
    cell: (row) => holderName(row.holder),
  };
  const columns: readonly Column<CertificateRow>[] = [
    ...(hideHolder ? [] : [holder]),
    {
      key: 'use',
      header: t('use'),
      cell: (row) => <span title={row.serial}>{type(row.type)}</span>,
    },
    {
      key: 'status',
      header: t('status'),
      cell: (row) => <CertificateStatus status={row.status} />,
    },
    {
      key: 'validUntil',
      sort: 'notAfter',
      header: t('validUntil'),
      cell: (row) => date(row.notAfter),
    },
    ...more,
  ];
  return (
    <DataTable
      {...list}
      columns={columns}
      rowKey={(row) => row.serial}
      rowLink={(row) => `/certificates/${row.serial}`}
    />
  );
}

/** Fields shared by rows of the audit and of a citizen's page. */
type AuditLine = Pick<AuditRow, 'eventId' | 'at' | 'actor' | 'subject' | 'outcome'> & {
  readonly type: string;
};

/** Columns of entries of the audit. */
export function useAuditColumns(): readonly Column<AuditLine>[] {
  const t = useTexts(recordTexts);
  const type = useWords(auditWords);
  return [
    { key: 'what', header: t('what'), cell: (row) => type(row.type) },
    { key: 'outcome', header: t('outcome'), cell: (row) => <AuditOutcome outcome={row.outcome} /> },
    { key: 'subject', header: t('subject'), cell: (row) => <Name id={row.subject} /> },
    { key: 'who', header: t('who'), cell: (row) => <ActorName actor={row.actor} /> },
    { key: 'at', sort: 'at', header: t('at'), cell: (row) => <Timestamp value={row.at} /> },
  ];
}

export function AuditTable(list: RecordTableProps<AuditLine>) {
  const columns = useAuditColumns();
  return (
    <DataTable
      {...list}
      columns={columns}
      rowKey={(row) => row.eventId}
      rowLink={(row) => `/audit/${row.eventId}`}
    />
  );
}
