import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRead } from '../../shared/api/useRead.ts';
import { ActiveState } from '../../shared/records/statuses.tsx';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useTexts } from '../../shared/texts.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { Section, Timestamp } from '../../shared/ui/parts.tsx';
import { texts } from './texts.ts';

/** Number of clients shown; the others are linked. */
const SHOWN = 5;

/** OpenID Connect clients of this relying party, the newest first. */
export function OidcClients({ id }: { readonly id: string }) {
  const t = useTexts(texts);
  const s = useTexts(sharedTexts);
  const source = useRead('/v3/admin/oidc-clients', {
    params: { query: { q: id, limit: SHOWN, offset: 0 } },
  });
  return (
    <Section
      title={t('clients')}
      actions={
        <Anchor component={Link} to="/oidc-clients" search={{ q: id } as never} size="sm">
          {t('allClients')}
        </Anchor>
      }
    >
      {source.data?.total === 0 ? (
        <Text size="sm" c="dimmed">
          {t('noClients')}
        </Text>
      ) : (
        <DataTable
          label={t('clients')}
          source={source}
          isWhole
          rowKey={({ clientId }) => clientId}
          rowLink={({ clientId }) => `/oidc-clients/${clientId}`}
          columns={[
            { key: 'name', header: s('name'), cell: ({ name }) => name },
            {
              key: 'state',
              header: t('state'),
              cell: (row) => <ActiveState isActive={row.active} />,
            },
            {
              key: 'registeredAt',
              header: t('registeredAt'),
              cell: (row) => <Timestamp value={row.registeredAt} />,
            },
          ]}
        />
      )}
    </Section>
  );
}
