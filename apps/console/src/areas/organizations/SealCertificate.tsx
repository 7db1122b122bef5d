import { Group, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import {
  revocationReasons,
  revocationTexts,
} from '../../../../../api/pages/words/revocationReasons.ts';
import { useTexts } from '../../shared/texts.ts';
import {
  Can,
  FactList,
  Section,
  StatusBadge,
  Timestamp,
  useFormats,
} from '../../shared/ui/parts.tsx';
import { type Commented, SensitiveButton } from '../../shared/ui/SensitiveButton.tsx';
import type { Organization } from './Status.tsx';
import { texts } from './texts.ts';

type Certificate = NonNullable<Organization['sealCertificate']>;

const tones = { VALID: 'good', SUSPENDED: 'waiting', REVOKED: 'bad', EXPIRED: 'neutral' } as const;

/** Seal certificate of the organization, and its status. */
export function SealCertificate({
  organization,
  isPast,
}: {
  readonly organization: Organization;
  readonly isPast: boolean;
}) {
  const t = useTexts(texts);
  const { sealCertificate, status } = organization;
  const isActive = status === 'ACTIVE';
  const isOver = sealCertificate === null || sealCertificate.status === 'REVOKED';
  return (
    <Section
      title={t('seal')}
      actions={
        !isPast && (
          <Group gap="xs">
            {isActive && (
              <Can capability="org:write">
                <Issue organization={organization} />
              </Can>
            )}
            {!isOver && (
              <Can capability="cert:revoke">
                <Revoke organization={organization} serial={sealCertificate.serialNumber} />
              </Can>
            )}
          </Group>
        )
      }
    >
      {sealCertificate === null ? (
        <Text c="dimmed">
          {t('sealNone')} {!isActive && t('sealNeedsActive')}
        </Text>
      ) : (
        <Facts certificate={sealCertificate} />
      )}
    </Section>
  );
}

function Facts({ certificate }: { readonly certificate: Certificate }) {
  const t = useTexts(texts);
  const { date } = useFormats();
  const { serialNumber, status, certificateLevel, notBefore, notAfter, issuedAt } = certificate;
  return (
    <FactList
      facts={[
        { label: t('status'), value: <StatusBadge tone={tones[status]}>{t(status)}</StatusBadge> },
        { label: t('serial'), value: serialNumber, copy: serialNumber },
        { label: t('level'), value: certificateLevel },
        { label: t('validity'), value: `${date(notBefore)} – ${date(notAfter)}` },
        { label: t('issuedAt'), value: <Timestamp value={issuedAt} /> },
      ]}
    />
  );
}

function Issue({ organization }: { readonly organization: Organization }) {
  const t = useTexts(texts);
  const { orgEtsi, name, sealCertificate } = organization;
  const issue = useCommand({
    run: (body: Commented) =>
      api.POST('/v3/admin/organizations/{etsi}/seal-certificate', {
        params: { path: { etsi: orgEtsi } },
        body,
      }),
    touches: ['/v3/admin/organizations', '/v3/admin/certificates'],
  });
  const verb = t(sealCertificate === null ? 'issue' : 'reissue');
  return (
    <SensitiveButton
      reviewedAs="organization.issueSealCertificate"
      verb={verb}
      title={t('issueTitle')}
      name={name}
      lead={t('issueLead')}
      command={issue}
      done={t('issued')}
      size="xs"
    />
  );
}

function Revoke({
  organization,
  serial,
}: {
  readonly organization: Organization;
  readonly serial: string;
}) {
  const t = useTexts(texts);
  const reasons = useTexts(revocationTexts);
  const [reason, setReason] = useState('5');
  const revoke = useCommand({
    run: (comment: Commented) =>
      api.POST('/v3/admin/certificates/{serial}/revoke', {
        params: { path: { serial } },
        body: { reason: Number(reason), ...comment },
      }),
    touches: ['/v3/admin/organizations', '/v3/admin/certificates'],
  });
  return (
    <SensitiveButton
      reviewedAs="certificate.revoke"
      verb={t('revokeCertificate')}
      name={organization.name}
      lead={t('revokeCertificateLead')}
      command={revoke}
      done={t('certificateRevoked')}
      size="xs"
      color="red"
      variant="light"
    >
      <Select
        label={t('reason')}
        allowDeselect={false}
        value={reason}
        data={revocationReasons.map((code) => ({
          value: String(code),
          label: `${code} · ${reasons(`reason${code}`)}`,
        }))}
        onChange={(next) => setReason(next ?? reason)}
      />
    </SensitiveButton>
  );
}
