import { Stack } from '@mantine/core';
import { useRead } from '../../shared/api/useRead.ts';
import { ActiveState } from '../../shared/records/statuses.tsx';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useTexts } from '../../shared/texts.ts';
import { useAsOf } from '../../shared/useAsOf.ts';
import { usePathParams } from '../../shared/usePathParams.ts';
import { DetailPage } from '../../shared/ui/DetailPage.tsx';
import { Can, Entries, FactList, Section, StatusBadge, Timestamp } from '../../shared/ui/parts.tsx';
import { Deactivate, EditSettings, Reactivate, RotateSecret } from './changes.tsx';
import { OidcClients } from './OidcClients.tsx';
import { Names } from './Names.tsx';
import { Sealing } from './Sealing.tsx';
import type { Party } from './SettingsForm.tsx';
import { Subsystems } from './Subsystems.tsx';
import { texts } from './texts.ts';

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

function SettingsSection({ party, isPast }: { readonly party: Party; readonly isPast: boolean }) {
  const t = useTexts(texts);
  const s = useTexts(sharedTexts);
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
          { label: t('permissions'), value: <Permissions party={party} /> },
          {
            label: t('callbackHosts'),
            value: <Entries entries={party.callbackHosts} otherwise="—" />,
          },
          {
            label: t('ipAllowlist'),
            value: <Entries entries={party.ipAllowlist} otherwise={t('anywhere')} />,
          },
          {
            label: t('clientCertificates'),
            value: <Entries entries={party.clientCertificates} otherwise={t('notRequired')} />,
          },
          { label: t('requestsPerMinute'), value: party.requestsPerMinute ?? t('general') },
          { label: t('smartIdStatuses'), value: s(party.smartIdStatuses ? 'yes' : 'no') },
          { label: t('registeredAt'), value: <Timestamp value={party.registeredAt} /> },
        ]}
      />
    </Section>
  );
}

function Permissions({ party }: { readonly party: Party }) {
  const t = useTexts(texts);
  if (party.firstParty) return <StatusBadge tone="info">{t('unrestricted')}</StatusBadge>;
  if (party.permissions.length === 0) return <>—</>;
  return (
    <Stack gap={4}>
      {party.permissions.map((permission) => (
        <span key={permission}>
          <StatusBadge tone="info">{permission}</StatusBadge> {t(permission)}
        </span>
      ))}
    </Stack>
  );
}
