import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { revocationReasons, revocationTexts } from '../../shared/revocationReasons.ts';
import { useTexts } from '../../shared/texts.ts';
import { ConfirmByTyping } from '../../shared/ui/ConfirmByTyping.tsx';
import { FourEyesNotice, useTellOutcome } from '../../shared/ui/FourEyes.tsx';
import {
  Can,
  FactList,
  Section,
  StatusBadge,
  Timestamp,
  useFormats,
} from '../../shared/ui/parts.tsx';
import type { Organization } from './Status.tsx';
import { texts } from './texts.ts';

type Certificate = NonNullable<Organization['sealCertificate']>;

const tones = { VALID: 'good', SUSPENDED: 'waiting', REVOKED: 'bad', EXPIRED: 'neutral' } as const;

/** What the organization seals with, and its state. */
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
  const [isOpen, { open, close }] = useDisclosure(false);
  const tell = useTellOutcome();
  const { orgEtsi, name, sealCertificate } = organization;
  const issue = useCommand({
    run: (comment: string | undefined) =>
      api.POST('/v3/admin/organizations/{etsi}/seal-certificate', {
        params: { path: { etsi: orgEtsi } },
        body: comment === undefined ? {} : { comment },
      }),
    touches: ['/v3/admin/organizations', '/v3/admin/certificates'],
  });
  const verb = t(sealCertificate === null ? 'issue' : 'reissue');
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        {verb}
      </Button>
      <ConfirmByTyping
        opened={isOpen}
        onClose={close}
        title={t('issueTitle')}
        action={verb}
        name={name}
        withComment
        onConfirm={async (comment) => {
          tell(await issue.mutateAsync(comment), t('issued'));
        }}
      >
        <Stack gap="sm">
          <span>{t('issueLead')}</span>
          <FourEyesNotice />
        </Stack>
      </ConfirmByTyping>
    </>
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
  const [isOpen, { open, close }] = useDisclosure(false);
  const [reason, setReason] = useState('5');
  const tell = useTellOutcome();
  const revoke = useCommand({
    run: (comment: string | undefined) =>
      api.POST('/v3/admin/certificates/{serial}/revoke', {
        params: { path: { serial } },
        body: { reason: Number(reason), ...(comment === undefined ? {} : { comment }) },
      }),
    touches: ['/v3/admin/organizations', '/v3/admin/certificates'],
  });
  return (
    <>
      <Button size="xs" color="red" variant="light" onClick={open}>
        {t('revokeCertificate')}
      </Button>
      <ConfirmByTyping
        opened={isOpen}
        onClose={close}
        title={t('revokeCertificate')}
        action={t('revokeCertificate')}
        name={organization.name}
        withComment
        onConfirm={async (comment) => {
          tell(await revoke.mutateAsync(comment), t('certificateRevoked'));
        }}
      >
        <Stack gap="sm">
          <span>{t('revokeCertificateLead')}</span>
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
          <FourEyesNotice />
        </Stack>
      </ConfirmByTyping>
    </>
  );
}
