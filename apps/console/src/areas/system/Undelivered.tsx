import type { AnswerOf } from '../../shared/api/useRead.ts';
import { useTexts } from '../../shared/texts.ts';
import type { Column } from '../../shared/ui/columns.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { Section, Timestamp, useFormats } from '../../shared/ui/parts.tsx';
import { whole } from '../../shared/whole.ts';
import { texts } from './texts.ts';

type Row = AnswerOf<'/v3/admin/system'>['undelivered'][number];

function linkOf({ kind, clientId }: Row): string | null {
  if (clientId === null) return null;
  return kind === 'WEBHOOK' ? `/relying-parties/${clientId}` : `/oidc-clients/${clientId}`;
}

/** Clients, relying parties and the push gateway that did not take what is sent to them; nothing while there are none. */
export function Undelivered({ recipients }: { readonly recipients: readonly Row[] }) {
  const t = useTexts(texts);
  const { number } = useFormats();
  if (recipients.length === 0) return null;
  const columns: readonly Column<Row>[] = [
    {
      key: 'recipient',
      header: t('recipient'),
      cell: ({ clientId }) => clientId ?? t('pushGateway'),
    },
    { key: 'kind', header: t('kind'), cell: ({ kind }) => t(kind) },
    { key: 'since', header: t('since'), cell: ({ since }) => <Timestamp value={since} /> },
    { key: 'reason', header: t('reason'), cell: ({ reason }) => reason },
    {
      key: 'attempts',
      header: t('attempts'),
      align: 'end',
      cell: ({ attempts }) => number(attempts),
    },
    { key: 'waiting', header: t('waiting'), align: 'end', cell: ({ waiting }) => number(waiting) },
    { key: 'givenUp', header: t('givenUp'), align: 'end', cell: ({ givenUp }) => number(givenUp) },
  ];
  return (
    <Section title={t('undelivered')}>
      <DataTable
        isWhole
        label={t('undelivered')}
        columns={columns}
        source={whole(recipients)}
        rowKey={({ kind, clientId }) => `${kind} ${clientId}`}
        rowLink={linkOf}
      />
    </Section>
  );
}
