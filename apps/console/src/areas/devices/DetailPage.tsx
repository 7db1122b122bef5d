import { Stack } from '@mantine/core';
import { useRead } from '../../shared/api/useRead.ts';
import { ActiveState } from '../../shared/records/statuses.tsx';
import { RecordLink } from '../../shared/records/subjects.tsx';
import { CertificateTable } from '../../shared/records/tables.tsx';
import { platformWords, useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { DetailPage } from '../../shared/ui/DetailPage.tsx';
import { Can, FactList, Section, Timestamp } from '../../shared/ui/parts.tsx';
import { usePathParams } from '../../shared/usePathParams.ts';
import { whole } from '../../shared/whole.ts';
import { Deactivate } from './Deactivate.tsx';
import { texts } from './texts.ts';
import type { Device } from './types.ts';

export default function DevicePage() {
  const t = useTexts(texts);
  const { documentNumber } = usePathParams('documentNumber');
  const source = useRead('/v3/admin/devices/{documentNumber}', {
    params: { path: { documentNumber } },
  });
  return (
    <DetailPage
      source={source}
      title={({ owner }) => `${t('title')} · ${owner.name}`}
      lead={(device) => device.documentNumber}
      back={{ to: '/devices', label: t('nav') }}
      subject={(device) => device.documentNumber}
      actions={(device) => (
        <Can capability="device:revoke">{device.active && <Deactivate device={device} />}</Can>
      )}
    >
      {(device) => <Parts device={device} />}
    </DetailPage>
  );
}

function Parts({ device }: { readonly device: Device }) {
  const t = useTexts(texts);
  const platform = useWords(platformWords);
  const { documentNumber, owner } = device;
  return (
    <Stack>
      <Section title={t('about')}>
        <FactList
          facts={[
            { label: t('state'), value: <ActiveState isActive={device.active} /> },
            { label: t('documentNumber'), value: documentNumber, copy: documentNumber },
            {
              label: t('owner'),
              value: (
                <RecordLink to={`/citizens/${owner.etsi}`} capability="user:read">
                  {owner.name}
                </RecordLink>
              ),
            },
            { label: t('platform'), value: platform(device.platform) },
            { label: t('push'), value: t(device.reachedByPush ? 'pushYes' : 'pushNo') },
            { label: t('lockedPins'), value: device.lockedPins.join(', ') || t('noPins') },
            { label: t('enrolledAt'), value: <Timestamp value={device.enrolledAt} /> },
            { label: t('deactivatedAt'), value: <Timestamp value={device.deactivatedAt} /> },
          ]}
        />
      </Section>
      <Section title={t('certificates')}>
        <CertificateTable
          label={t('certificates')}
          source={whole(device.certificates)}
          isWhole
          hideHolder
        />
      </Section>
    </Stack>
  );
}
