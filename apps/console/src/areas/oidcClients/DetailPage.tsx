import { Code, Stack } from '@mantine/core';
import { useRead } from '../../shared/api/useRead.ts';
import { ActiveState } from '../../shared/records/statuses.tsx';
import { RecordLink } from '../../shared/records/subjects.tsx';
import { useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { DetailPage } from '../../shared/ui/DetailPage.tsx';
import { Can, Entries, FactList, Section, StatusBadge, Timestamp } from '../../shared/ui/parts.tsx';
import { useAsOf } from '../../shared/useAsOf.ts';
import { usePathParams } from '../../shared/usePathParams.ts';
import { Deactivate, EditSettings, Reactivate, RotateSecret } from './changes.tsx';
import { type Client, hasSecret } from './settings.ts';
import { scopeWords, texts } from './texts.ts';

export default function OidcClientPage() {
  const t = useTexts(texts);
  const { clientId } = usePathParams('clientId');
  const { query, isPast } = useAsOf();
  const source = useRead('/v3/admin/oidc-clients/{clientId}', {
    params: { path: { clientId }, query },
  });
  return (
    <DetailPage
      source={source}
      title={(client) => client.name}
      lead={(client) => <ActiveState isActive={client.active} />}
      back={{ to: '/oidc-clients', label: t('nav') }}
      since={(client) => client.registeredAt}
      subject={() => clientId}
      actions={(client) =>
        !isPast && (
          <Can capability="rp:write">
            <Changes client={client} />
          </Can>
        )
      }
    >
      {(client) => (
        <Stack>
          <SettingsSection client={client} isPast={isPast} />
          <Addresses client={client} />
        </Stack>
      )}
    </DetailPage>
  );
}

/** Buttons for changes; a public client has no secret to rotate. */
function Changes({ client }: { readonly client: Client }) {
  if (!client.active) return <Reactivate client={client} />;
  return (
    <>
      {hasSecret(client.authMethod) && <RotateSecret client={client} />}
      <Deactivate client={client} />
    </>
  );
}

function SettingsSection({
  client,
  isPast,
}: {
  readonly client: Client;
  readonly isPast: boolean;
}) {
  const t = useTexts(texts);
  const { clientId, relyingPartyUUID: party } = client;
  const owner = useRead('/v3/admin/relying-parties/{id}', { params: { path: { id: party } } });
  const name = owner.data?.relyingPartyName;
  return (
    <Section
      title={t('settings')}
      actions={
        !isPast && (
          <Can capability="rp:write">
            <EditSettings client={client} />
          </Can>
        )
      }
    >
      <FactList
        facts={[
          { label: t('id'), value: clientId, copy: clientId },
          {
            label: t('relyingParty'),
            value: (
              <RecordLink to={`/relying-parties/${party}`} capability="rp:read">
                {name ?? party}
              </RecordLink>
            ),
          },
          { label: t('nameEn'), value: client.nameEn },
          { label: t('scopes'), value: <Scopes scopes={client.scopes} /> },
          { label: t('authMethod'), value: client.authMethod },
          { label: t('idTokenSignedResponseAlg'), value: client.idTokenSignedResponseAlg },
          ...(client.keys.length === 0
            ? []
            : [
                {
                  label: t('keys'),
                  value: <Code block>{JSON.stringify(client.keys, null, 2)}</Code>,
                },
              ]),
          { label: t('sector'), value: client.sector },
          { label: t('organization'), value: client.organization },
          { label: t('registeredAt'), value: <Timestamp value={client.registeredAt} /> },
        ]}
      />
    </Section>
  );
}

function Scopes({ scopes }: Pick<Client, 'scopes'>) {
  const scope = useWords(scopeWords);
  return (
    <Stack gap={4}>
      {scopes.map((name) => (
        <span key={name}>
          <StatusBadge tone="info">{name}</StatusBadge> {scope(name)}
        </span>
      ))}
    </Stack>
  );
}

function Addresses({ client }: { readonly client: Client }) {
  const t = useTexts(texts);
  const { backchannelLogoutUri, clientUri, logoUri } = client;
  return (
    <Section title={t('addresses')}>
      <FactList
        facts={[
          {
            label: t('redirectUris'),
            value: <Entries entries={client.redirectUris} otherwise={t('none')} />,
          },
          {
            label: t('postLogoutRedirectUris'),
            value: <Entries entries={client.postLogoutRedirectUris} otherwise={t('none')} />,
          },
          { label: t('backchannelLogoutUri'), value: backchannelLogoutUri },
          { label: t('clientUri'), value: clientUri },
          { label: t('logoUri'), value: logoUri },
        ]}
      />
    </Section>
  );
}
