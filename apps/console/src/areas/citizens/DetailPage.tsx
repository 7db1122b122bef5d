import { Alert, Anchor, Stack } from '@mantine/core';
import { IconEraser } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useRead } from '../../shared/api/useRead.ts';
import { AuditTable, CertificateTable, DeviceTable } from '../../shared/records/tables.tsx';
import { useTexts } from '../../shared/texts.ts';
import { DetailPage } from '../../shared/ui/DetailPage.tsx';
import {
  Can,
  type Fact,
  FactList,
  Section,
  Timestamp,
  useFormats,
} from '../../shared/ui/parts.tsx';
import { usePathParams } from '../../shared/usePathParams.ts';
import { whole } from '../../shared/whole.ts';
import { Forget } from './Forget.tsx';
import { RecentSessions } from './RecentSessions.tsx';
import { texts } from './texts.ts';
import { Verifications } from './Verifications.tsx';
import type { Citizen } from './types.ts';

/** Number of audit rows shown; the others are linked. */
const SHOWN = 10;

export default function CitizenPage() {
  const t = useTexts(texts);
  const { etsi } = usePathParams('etsi');
  const source = useRead('/v3/admin/users/{etsi}', { params: { path: { etsi } } });
  return (
    <DetailPage
      source={source}
      title={(citizen) =>
        citizen.forgotten ? t('forgotten') : `${citizen.lastName} ${citizen.firstName}`
      }
      lead={(citizen) => citizen.etsi}
      back={{ to: '/citizens', label: t('nav') }}
      subject={(citizen) => citizen.etsi}
      actions={(citizen) => (
        <Can capability="admin:manage">{!citizen.forgotten && <Forget citizen={citizen} />}</Can>
      )}
    >
      {(citizen) => <Parts citizen={citizen} />}
    </DetailPage>
  );
}

function Parts({ citizen }: { readonly citizen: Citizen }) {
  const t = useTexts(texts);
  const { etsi, devices, certificates, audit } = citizen;
  return (
    <Stack>
      {citizen.forgotten && (
        <Alert color="gray" icon={<IconEraser aria-hidden />} title={t('forgotten')}>
          {t('forgottenDetail')}
        </Alert>
      )}
      <Section title={t('identity')}>
        <FactList facts={useIdentity(citizen)} />
      </Section>
      <Section title={t('devices')}>
        <DeviceTable label={t('devices')} source={whole(devices)} isWhole hideOwner />
      </Section>
      <Section title={t('certificates')}>
        <CertificateTable
          label={t('certificates')}
          source={whole(certificates)}
          isWhole
          hideHolder
        />
      </Section>
      <Verifications etsi={etsi} />
      <RecentSessions etsi={etsi} />
      <Section
        title={t('audit')}
        actions={
          <Anchor
            component={Link}
            to="/audit"
            search={{ subject: etsi, reads: 'true' } as never}
            size="sm"
          >
            {t('allAudit')}
          </Anchor>
        }
      >
        <AuditTable label={t('audit')} source={whole(audit.slice(0, SHOWN))} isWhole />
      </Section>
    </Stack>
  );
}

/** Identity of the person; after crypto-shredding, the remaining fields. */
function useIdentity(citizen: Citizen): readonly Fact[] {
  const t = useTexts(texts);
  const { date } = useFormats();
  const left: readonly Fact[] = [
    { label: t('civilId'), value: citizen.civilId, copy: citizen.civilId },
    { label: t('etsi'), value: citizen.etsi, copy: citizen.etsi },
    { label: t('enrolledAt'), value: <Timestamp value={citizen.enrolledAt} /> },
  ];
  if (citizen.forgotten) return left;
  const regNo = citizen.regNo.toUpperCase();
  return [
    { label: t('names'), value: `${citizen.lastName} ${citizen.firstName}` },
    { label: t('latin'), value: `${citizen.lastNameEn} ${citizen.firstNameEn}` },
    { label: t('familyName'), value: citizen.familyName },
    { label: t('regNo'), value: regNo, copy: regNo },
    { label: t('birthDate'), value: date(citizen.birthDate) },
    { label: t('gender'), value: t(`gender${citizen.gender}`) },
    { label: t('geID'), value: citizen.geID },
    ...left,
  ];
}
