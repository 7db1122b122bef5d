import type { AnswerOf } from '../../shared/api/useRead.ts';
import { useTexts } from '../../shared/texts.ts';
import { type Column, DataTable } from '../../shared/ui/DataTable.tsx';
import { Section, Timestamp, useFormats } from '../../shared/ui/parts.tsx';
import { whole } from '../../shared/whole.ts';
import { texts } from './texts.ts';

type Row = AnswerOf<'/v3/admin/system'>['undeliveredLogouts'][number];

/** Clients that did not take the ends of logins; nothing while there are none. */
export function UndeliveredLogouts({ clients }: { readonly clients: readonly Row[] }) {
  const t = useTexts(texts);
  const { number } = useFormats();
  if (clients.length === 0) return null;
  const columns: readonly Column<Row>[] = [
    { key: 'client', header: t('client'), cell: ({ clientId }) => clientId },
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
    <Section title={t('undeliveredLogouts')}>
      <DataTable
        isWhole
        label={t('undeliveredLogouts')}
        columns={columns}
        source={whole(clients)}
        rowKey={({ clientId }) => clientId}
        rowLink={({ clientId }) => `/oidc-clients/${clientId}`}
      />
    </Section>
  );
}
