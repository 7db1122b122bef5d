import { Anchor, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import type { AnswerOf } from '../../shared/api/useRead.ts';
import { useCause } from '../../shared/health/causes.ts';
import { projectionWords } from '../../shared/health/projectionWords.ts';
import { useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { ActionButton } from '../../shared/ui/ActionButton.tsx';
import type { Column } from '../../shared/ui/columns.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { Can, Section, Timestamp, useFormats } from '../../shared/ui/parts.tsx';
import { type Commented, SensitiveButton } from '../../shared/ui/SensitiveButton.tsx';
import { whole } from '../../shared/whole.ts';
import { parkedTexts } from './parkedTexts.ts';
import { texts } from './texts.ts';

type Parked = AnswerOf<'/v3/admin/system'>['parkedEvents'][number];

const touches = ['/v3/admin/system'];

/** Events that cannot be projected: what waits for each, why, and the buttons that end it; nothing while there are none. */
export function ParkedEvents({ events }: { readonly events: readonly Parked[] }) {
  const t = useTexts(parkedTexts);
  const s = useTexts(texts);
  const word = useWords(projectionWords);
  const cause = useCause();
  const { number } = useFormats();
  if (events.length === 0) return null;
  const columns: readonly Column<Parked>[] = [
    { key: 'projection', header: t('where'), cell: ({ projection }) => word(projection) },
    {
      key: 'event',
      header: t('event'),
      cell: ({ eventId }) => (
        <Anchor component={Link} to={`/audit/${eventId}`} title={eventId} size="sm">
          {t('openEvent')}
        </Anchor>
      ),
    },
    { key: 'error', header: t('error'), cell: ({ error }) => cause(error) },
    { key: 'since', header: s('since'), cell: ({ since }) => <Timestamp value={since} /> },
    {
      key: 'waits',
      header: t('waits'),
      align: 'end',
      cell: ({ events: count }) => number(count),
    },
    { key: 'attempts', header: s('attempts'), align: 'end', cell: (row) => number(row.attempts) },
    {
      key: 'actions',
      isActions: true,
      header: t('actions'),
      cell: (row) => (
        <Can capability="config:write">
          <Group gap="xs" wrap="nowrap">
            <Retry parked={row} />
            <Skip parked={row} />
          </Group>
        </Can>
      ),
    },
  ];
  return (
    <Section title={t('parkedEvents')}>
      <DataTable
        isWhole
        label={t('parkedEvents')}
        columns={columns}
        source={whole(events)}
        rowKey={({ projection, eventId }) => `${projection} ${eventId}`}
      />
    </Section>
  );
}

function Retry({ parked: { projection: name } }: { readonly parked: Parked }) {
  const t = useTexts(parkedTexts);
  const retry = useCommand({
    run: () => api.POST('/v3/admin/projections/{name}/retry', { params: { path: { name } } }),
    touches,
  });
  return (
    <ActionButton size="xs" command={retry} done={t('retried')}>
      {t('retry')}
    </ActionButton>
  );
}

function Skip({ parked: { projection: name, eventId } }: { readonly parked: Parked }) {
  const t = useTexts(parkedTexts);
  const word = useWords(projectionWords);
  const skip = useCommand({
    run: (body: Commented) =>
      api.POST('/v3/admin/projections/{name}/parked-events/{eventId}/skip', {
        params: { path: { name, eventId } },
        body,
      }),
    touches,
  });
  return (
    <SensitiveButton
      reviewedAs="projection.skip"
      verb={t('skip')}
      name={word(name)}
      lead={t('skipLead')}
      command={skip}
      done={t('skipped')}
      size="xs"
    />
  );
}
