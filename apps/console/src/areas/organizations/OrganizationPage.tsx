import { Stack } from '@mantine/core';
import { useRead } from '../../shared/api/useRead.ts';
import { useSettingFacts } from '../../shared/settings/useSettingFacts.tsx';
import { useTexts } from '../../shared/texts.ts';
import { useAsOf } from '../../shared/useAsOf.ts';
import { usePathParams } from '../../shared/usePathParams.ts';
import { DetailPage } from '../../shared/ui/DetailPage.tsx';
import { Can, FactList, Section, Timestamp } from '../../shared/ui/parts.tsx';
import { Rename, StatusButtons } from './changes.tsx';
import { Representatives } from './Representatives.tsx';
import { SealCertificate } from './SealCertificate.tsx';
import { settings } from './settings.ts';
import { type Organization, Status } from './Status.tsx';
import { texts } from './texts.ts';

export default function OrganizationPage() {
  const t = useTexts(texts);
  const { etsi } = usePathParams('etsi');
  const { query, isPast } = useAsOf();
  const source = useRead('/v3/admin/organizations/{etsi}', { params: { path: { etsi }, query } });
  return (
    <DetailPage
      source={source}
      title={({ name }) => name}
      lead={({ status }) => <Status status={status} />}
      back={{ to: '/organizations', label: t('nav') }}
      since={(organization) => organization.registeredAt}
      subject={(organization) => organization.orgEtsi}
      actions={(organization) =>
        !isPast && (
          <Can capability="org:write">
            <StatusButtons organization={organization} />
          </Can>
        )
      }
    >
      {(organization) => (
        <Stack>
          <Facts organization={organization} isPast={isPast} />
          <SealCertificate organization={organization} isPast={isPast} />
          <Representatives organization={organization} isPast={isPast} />
        </Stack>
      )}
    </DetailPage>
  );
}

function Facts({
  organization,
  isPast,
}: {
  readonly organization: Organization;
  readonly isPast: boolean;
}) {
  const t = useTexts(texts);
  const factsOf = useSettingFacts(settings, texts, () => true);
  const { orgRegister, orgEtsi, status, registeredAt } = organization;
  return (
    <Section
      title={t('facts')}
      actions={
        !isPast &&
        status !== 'REVOKED' && (
          <Can capability="org:write">
            <Rename organization={organization} />
          </Can>
        )
      }
    >
      <FactList
        facts={[
          { label: t('orgRegister'), value: orgRegister, copy: orgRegister },
          { label: t('etsi'), value: orgEtsi, copy: orgEtsi },
          ...factsOf(organization),
          { label: t('registeredAt'), value: <Timestamp value={registeredAt} /> },
        ]}
      />
    </Section>
  );
}
