import { Code, Text } from '@mantine/core';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { type AnswerOf, useRead } from '../../shared/api/useRead.ts';
import { useTexts } from '../../shared/texts.ts';
import { ActionButton } from '../../shared/ui/ActionButton.tsx';
import type { Column } from '../../shared/ui/columns.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { Can, Section, StatusBadge, Timestamp } from '../../shared/ui/parts.tsx';
import { whole } from '../../shared/whole.ts';
import { webhookTexts } from './webhookTexts.ts';

const path = '/v3/admin/relying-parties/{id}/webhook-messages';

type Message = AnswerOf<typeof path>['messages'][number];

const tones = { WAITING: 'info', DELIVERED: 'good', DEAD: 'bad' } as const;
const REFRESH_MS = 10_000;

/** Events the relying party was told of, and those it did not take; nothing while there are none. */
export function Webhooks({ id }: { readonly id: string }) {
  const t = useTexts(webhookTexts);
  const { data } = useRead(path, { params: { path: { id } } }, { every: REFRESH_MS });
  const messages = data?.messages ?? [];
  if (messages.length === 0) return null;
  const isAnyDead = messages.some(({ state }) => state === 'DEAD');
  return (
    <Section
      title={t('events')}
      actions={
        isAnyDead && (
          <Can capability="rp:write">
            <Resend id={id} />
          </Can>
        )
      }
    >
      <Text size="sm" c="dimmed" mb="sm">
        {t('eventsLead')}
      </Text>
      <Messages messages={messages} />
    </Section>
  );
}

function Messages({ messages }: { readonly messages: readonly Message[] }) {
  const t = useTexts(webhookTexts);
  const columns: readonly Column<Message>[] = [
    { key: 'since', header: t('at'), cell: ({ since }) => <Timestamp value={since} /> },
    { key: 'type', header: t('type'), cell: ({ type }) => <Code>{type}</Code> },
    {
      key: 'state',
      header: t('state'),
      cell: ({ state }) => <StatusBadge tone={tones[state]}>{t(state)}</StatusBadge>,
    },
    { key: 'reason', header: t('reason'), cell: ({ reason }) => reason ?? '—' },
    { key: 'address', header: t('address'), cell: ({ address }) => address },
  ];
  return (
    <DataTable
      isWhole
      label={t('events')}
      columns={columns}
      source={whole(messages)}
      rowKey={({ id }) => id}
    />
  );
}

function Resend({ id }: { readonly id: string }) {
  const t = useTexts(webhookTexts);
  const resend = useCommand({
    run: () => api.POST(`${path}/resend`, { params: { path: { id } }, body: { id: null } }),
    touches: ['/v3/admin/relying-parties/{id}/webhook-messages', '/v3/admin/system'],
  });
  return (
    <ActionButton size="xs" command={resend} done={t('resent')}>
      {t('resend')}
    </ActionButton>
  );
}
