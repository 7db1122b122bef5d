import { Stack } from '@mantine/core';
import { useRead } from '../../shared/api/useRead.ts';
import { useHolderName } from '../../shared/records/tables.tsx';
import { Timeline } from '../../shared/records/Timeline.tsx';
import { Validity } from '../../shared/records/Validity.tsx';
import { certificateTypeWords, useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { DetailPage } from '../../shared/ui/DetailPage.tsx';
import { Can, FactList, Section } from '../../shared/ui/parts.tsx';
import { useAsOf } from '../../shared/useAsOf.ts';
import { usePathParams } from '../../shared/usePathParams.ts';
import { Body } from './Body.tsx';
import { type Certificate, useFacts, usePublicStatus } from './facts.tsx';
import { Revoke } from './Revoke.tsx';
import { texts } from './texts.ts';

export default function CertificatePage() {
  const t = useTexts(texts);
  const { serial } = usePathParams('serial');
  const { query, isPast } = useAsOf();
  const holderName = useHolderName();
  const type = useWords(certificateTypeWords);
  const source = useRead('/v3/admin/certificates/{serial}', {
    params: { path: { serial }, query },
  });
  return (
    <DetailPage
      source={source}
      title={(certificate) => `${type(certificate.type)} · ${holderName(certificate.holder)}`}
      lead={(certificate) => certificate.serial}
      back={{ to: '/certificates', label: t('nav') }}
      since={(certificate) => certificate.timeline[0]?.time}
      subject={(certificate) => certificate.serial}
      actions={(certificate) => (
        <Can capability="cert:revoke">{!isPast && <Revoke certificate={certificate} />}</Can>
      )}
    >
      {(certificate) => <Parts certificate={certificate} />}
    </DetailPage>
  );
}

function Parts({ certificate }: { readonly certificate: Certificate }) {
  const t = useTexts(texts);
  const { asOf } = useAsOf();
  return (
    <Stack>
      <Section title={t('validity')}>
        <Validity certificate={certificate} at={asOf} />
      </Section>
      <Section title={t('publicStatus')}>
        <FactList facts={usePublicStatus(certificate)} />
      </Section>
      <Section title={t('about')}>
        <FactList facts={useFacts(certificate)} />
      </Section>
      {certificate.status !== 'REQUESTED' && (
        <Body key={certificate.serial} serial={certificate.serial} />
      )}
      <Section title={t('timeline')}>
        <Timeline label={t('timeline')} events={certificate.timeline} />
      </Section>
    </Stack>
  );
}
