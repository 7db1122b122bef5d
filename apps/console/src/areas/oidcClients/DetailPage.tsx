import { Code, Stack } from '@mantine/core';
import { useRead } from '../../shared/api/useRead.ts';
import { ActiveState } from '../../shared/records/statuses.tsx';
import { RecordLink } from '../../shared/records/subjects.tsx';
import { useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { DetailPage } from '../../shared/ui/DetailPage.tsx';
import { Can, FactList, Section, StatusBadge, Timestamp } from '../../shared/ui/parts.tsx';
import { useAsOf } from '../../shared/useAsOf.ts';
import { usePathParams } from '../../shared/usePathParams.ts';
import { Deactivate, EditSettings, Reactivate, RotateSecret } from './changes.tsx';
import { type Client, hasSecret, settings } from './settings.ts';
import type { Setting } from '../../shared/settings/settings.ts';
import { useSettingFacts } from '../../shared/settings/useSettingFacts.tsx';
import { choiceWords, scopeWords, texts } from './texts.ts';

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

/** False for settings of what a client is not. */
function isUsed(client: Client, name: string): boolean {
  if (name === 'keys' || name === 'exchanges') return client[name].length > 0;
  const isOfApi = name.startsWith('accessToken') || name === 'apiScopes';
  return !isOfApi || client.audience !== null;
}

function isAddress(_name: string, { kind }: Setting): boolean {
  return kind === 'list' || kind === 'address';
}

function SettingsSection({
  client,
  isPast,
}: {
  readonly client: Client;
  readonly isPast: boolean;
}) {
  const t = useTexts(texts);
  const choice = useWords(choiceWords);
  const { clientId, relyingPartyUUID: party } = client;
  const factsOf = useSettingFacts(
    settings,
    texts,
    (name, setting) => !isAddress(name, setting) && name !== 'name' && isUsed(client, name),
  );
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
          ...factsOf(client, {
            scopes: <Scopes scopes={client.scopes} />,
            keys: <Code block>{JSON.stringify(client.keys, null, 2)}</Code>,
            exchanges: <Code block>{JSON.stringify(client.exchanges, null, 2)}</Code>,
            apiScopes: <ApiScopes scopes={client.apiScopes} />,
            accessTokenSeconds: client.accessTokenSeconds ?? 300,
            applicationType: choice(client.applicationType),
            backchannelTokenDeliveryMode: choice(client.backchannelTokenDeliveryMode),
            securityProfile: choice(client.securityProfile),
          }),
          { label: t('sector'), value: client.sector === party ? (name ?? party) : client.sector },
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

function ApiScopes({ scopes }: { readonly scopes: Client['apiScopes'] }) {
  return (
    <Stack gap={4}>
      {scopes.map((scope) => (
        <span key={scope.name}>
          <StatusBadge tone="info">{scope.name}</StatusBadge> {scope.descriptionMn} ·{' '}
          {scope.description}
        </span>
      ))}
    </Stack>
  );
}

function Addresses({ client }: { readonly client: Client }) {
  const t = useTexts(texts);
  const factsOf = useSettingFacts(settings, texts, isAddress);
  return (
    <Section title={t('addresses')}>
      <FactList facts={factsOf(client)} />
    </Section>
  );
}
