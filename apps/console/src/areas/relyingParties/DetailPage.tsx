import { Stack } from '@mantine/core';
import { useRead } from '../../shared/api/useRead.ts';
import { useSpan } from '../../shared/records/Timeline.tsx';
import { ActiveState } from '../../shared/records/statuses.tsx';
import { useSettingFacts } from '../../shared/settings/useSettingFacts.tsx';
import { permissionWords } from '../../../../../api/pages/words/permissionWords.ts';
import { useTexts } from '../../shared/texts.ts';
import { useNow } from '../../shared/useAgo.ts';
import { useAsOf } from '../../shared/useAsOf.ts';
import { usePathParams } from '../../shared/usePathParams.ts';
import { DetailPage } from '../../shared/ui/DetailPage.tsx';
import { Can, FactList, Section, StatusBadge, Timestamp } from '../../shared/ui/parts.tsx';
import { Deactivate, EditSettings, Reactivate, RotateSecret } from './changes.tsx';
import { OidcClients } from './OidcClients.tsx';
import { Names } from './Names.tsx';
import { Requests } from './Requests.tsx';
import { Sealing } from './Sealing.tsx';
import { type Party, type Settings, settings } from './settings.ts';
import { Subsystems } from './Subsystems.tsx';
import { texts } from './texts.ts';
import { Webhooks } from './Webhooks.tsx';

export default function RelyingPartyPage() {
  const t = useTexts(texts);
  const { id } = usePathParams('id');
  const { query, isPast } = useAsOf();
  const source = useRead('/v3/admin/relying-parties/{id}', { params: { path: { id }, query } });
  return (
    <DetailPage
      source={source}
      title={(party) => party.relyingPartyName}
      lead={(party) => <ActiveState isActive={party.active} />}
      back={{ to: '/relying-parties', label: t('nav') }}
      since={(party) => party.registeredAt}
      subject={() => id}
      actions={(party) =>
        !isPast && (
          <Can capability="rp:write">
            {party.active ? (
              <>
                <RotateSecret party={party} />
                <Deactivate party={party} />
              </>
            ) : (
              <Reactivate party={party} />
            )}
          </Can>
        )
      }
    >
      {(party) => (
        <Stack>
          {!isPast && <Requests id={id} />}
          {!isPast && <Webhooks id={id} />}
          <SettingsSection party={party} isPast={isPast} />
          <Names party={party} isPast={isPast} />
          <Sealing party={party} isPast={isPast} />
          <OidcClients id={id} />
          <Subsystems party={party} isPast={isPast} />
        </Stack>
      )}
    </DetailPage>
  );
}

/** The name is the page's title, and a first party shows among the permissions. */
const isShown = (name: keyof Settings) => !['relyingPartyName', 'firstParty'].includes(name);

function SettingsSection({ party, isPast }: { readonly party: Party; readonly isPast: boolean }) {
  const t = useTexts(texts);
  const factsOf = useSettingFacts(settings, texts, isShown);
  const span = useSpan();
  const secretAge = span(Math.max(0, useNow() - Date.parse(party.secretIssuedAt)));
  return (
    <Section
      title={t('settings')}
      actions={
        !isPast && (
          <Can capability="rp:write">
            <EditSettings party={party} />
          </Can>
        )
      }
    >
      <FactList
        facts={[
          { label: t('id'), value: party.relyingPartyUUID, copy: party.relyingPartyUUID },
          ...factsOf(party, { permissions: <Permissions party={party} /> }),
          { label: t('registeredAt'), value: <Timestamp value={party.registeredAt} /> },
          {
            label: t('secretIssuedAt'),
            value: (
              <>
                <Timestamp value={party.secretIssuedAt} isExact /> · {secretAge}
              </>
            ),
          },
          { label: t('handOverUntil'), value: <Timestamp value={party.handOverUntil} isExact /> },
        ]}
      />
    </Section>
  );
}

function Permissions({ party }: { readonly party: Party }) {
  const t = useTexts(texts);
  const permissionName = useTexts(permissionWords);
  if (party.firstParty) return <StatusBadge tone="info">{t('unrestricted')}</StatusBadge>;
  if (party.permissions.length === 0) return <>—</>;
  return (
    <Stack gap={4}>
      {party.permissions.map((permission) => (
        <span key={permission}>{permissionName(permission)}</span>
      ))}
    </Stack>
  );
}
