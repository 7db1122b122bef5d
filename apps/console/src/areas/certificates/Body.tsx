import { Button, Group, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { type AnswerOf, useRead } from '../../shared/api/useRead.ts';
import { useTexts } from '../../shared/texts.ts';
import { saveFile } from '../../shared/ui/DownloadButton.tsx';
import { Entries, type Fact, FactList, Section } from '../../shared/ui/parts.tsx';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import { bodyTexts } from './bodyTexts.ts';

type CertificateBody = AnswerOf<'/v3/admin/certificates/{serial}/body'>;

/** The certificate decoded, and as PEM and DER; read when it is asked for, since each look is on record. */
export function Body({ serial }: { readonly serial: string }) {
  const t = useTexts(bodyTexts);
  const [isWanted, setWanted] = useState(false);
  const { data, error, refetch, isFetching } = useRead(
    '/v3/admin/certificates/{serial}/body',
    { params: { path: { serial } } },
    { enabled: isWanted },
  );
  return (
    <Section
      title={t('body')}
      actions={data !== undefined && <Files serial={serial} certificate={data.certificate} />}
    >
      {error !== null && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {data === undefined && (
        <Group gap="sm">
          <Button variant="default" loading={isFetching} onClick={() => setWanted(true)}>
            {t('showBody')}
          </Button>
          <Text size="sm" c="dimmed">
            {t('bodyLead')}
          </Text>
        </Group>
      )}
      {data !== undefined && <Contents contents={data.contents} />}
    </Section>
  );
}

function Contents({ contents }: Pick<CertificateBody, 'contents'>) {
  const t = useTexts(bodyTexts);
  const list = (entries: readonly string[]) => <Entries entries={entries} otherwise="—" />;
  const facts: readonly Fact[] = [
    { label: t('serial'), value: contents.serialNumber, copy: contents.serialNumber },
    { label: t('subject'), value: contents.subject, copy: contents.subject },
    { label: t('publicKey'), value: contents.publicKey },
    { label: t('signatureAlgorithm'), value: contents.signatureAlgorithm },
    { label: t('keyUsage'), value: list(contents.keyUsage) },
    { label: t('extendedKeyUsage'), value: list(contents.extendedKeyUsage) },
    { label: t('policies'), value: list(contents.policies) },
    { label: t('qcStatements'), value: list(contents.qcStatements) },
    { label: t('ocspAddress'), value: list(contents.ocsp) },
    { label: t('caIssuers'), value: list(contents.caIssuers) },
    { label: t('crlAddress'), value: list(contents.crl) },
  ];
  return <FactList facts={facts} />;
}

const LINE = /.{1,64}/g;

/** Textual encoding of a certificate (RFC 7468 §5.1). @param base64 of the DER */
function pemOf(base64: string): string {
  const lines = base64.match(LINE) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function Files({ serial, certificate }: { readonly serial: string; readonly certificate: string }) {
  const t = useTexts(bodyTexts);
  const save = (content: BlobPart, type: string, ending: string) =>
    saveFile(new Blob([content], { type }), `${serial}.${ending}`);
  return (
    <Group gap="xs">
      <Button
        variant="default"
        size="xs"
        leftSection={<IconDownload size={14} aria-hidden />}
        onClick={() => save(pemOf(certificate), 'application/x-pem-file', 'pem')}
      >
        {t('pem')}
      </Button>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconDownload size={14} aria-hidden />}
        onClick={() =>
          save(
            Uint8Array.from(atob(certificate), (byte) => byte.charCodeAt(0)),
            'application/pkix-cert',
            'cer',
          )
        }
      >
        {t('der')}
      </Button>
    </Group>
  );
}
