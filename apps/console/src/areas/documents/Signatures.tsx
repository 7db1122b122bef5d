import { Button, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useNameOf } from '../../shared/names.tsx';
import { RecordLink } from '../../shared/records/subjects.tsx';
import { levelWords, useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { saveFile } from '../../shared/ui/DownloadButton.tsx';
import { type Fact, FactList, Section, Timestamp } from '../../shared/ui/parts.tsx';
import type { Document } from './types.ts';
import { formatWords, methodWords, proofWords, texts } from './texts.ts';

type Signature = Document['signatures'][number];

/** Signatures with the data to verify them. */
export function Signatures({ signatures }: { readonly signatures: readonly Signature[] }) {
  const t = useTexts(texts);
  if (signatures.length === 0) {
    return (
      <Section title={t('signatures')}>
        <Text size="sm" c="dimmed">
          {t('noSignatures')}
        </Text>
      </Section>
    );
  }
  return (
    <Stack>
      {signatures.map((signature) => (
        <Section
          key={signature.order}
          title={t('signatureOf', { order: signature.order })}
          actions={<Evidence signature={signature} />}
        >
          <Facts signature={signature} />
        </Section>
      ))}
    </Stack>
  );
}

function Facts({ signature }: { readonly signature: Signature }) {
  const t = useTexts(texts);
  const format = useWords(formatWords);
  const proof = useWords(proofWords);
  const method = useTexts(methodWords);
  const nameOf = useNameOf();
  const { covered_digest: covered, signature: value, session_id: session } = signature;
  const facts: readonly Fact[] = [
    { label: t('signer'), value: signature.signer_name ?? t('forgotten') },
    { label: t('regNumber'), value: signature.reg_number?.toUpperCase() },
    { label: t('signedAt'), value: <Timestamp value={signature.signed_at} /> },
    { label: t('method'), value: method(signature.method) },
    { label: t('format'), value: format(signature.format) },
    { label: t('proof'), value: proof(signature.proof) },
    { label: t('coveredDigest'), value: covered, copy: covered },
    { label: t('algorithm'), value: signature.signature_algorithm },
    { label: t('value'), value, copy: value },
    {
      label: t('certificate'),
      value: <Certificate signature={signature} />,
      copy: signature.certificate_serial,
    },
    {
      label: t('session'),
      value: (
        <RecordLink to={`/sessions/${session}`} capability="session:read" id={session}>
          {nameOf(session)}
        </RecordLink>
      ),
      copy: session,
    },
  ];
  return <FactList facts={facts} />;
}

function Certificate({ signature }: { readonly signature: Signature }) {
  const level = useWords(levelWords);
  const { certificate_serial: serial, certificate_level: of } = signature;
  return (
    <RecordLink to={`/certificates/${serial}`} capability="cert:read" id={serial}>
      {level(of)}
    </RecordLink>
  );
}

/** Download of a detached signature for other programs; a PDF contains its signature. */
function Evidence({ signature: { evidence, order } }: { readonly signature: Signature }) {
  const t = useTexts(texts);
  if (evidence === null) return null;
  const bytes = () => Uint8Array.from(atob(evidence), (character) => character.charCodeAt(0));
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconDownload size={14} aria-hidden />}
      onClick={() =>
        saveFile(new Blob([bytes()], { type: 'application/pkcs7-signature' }), `${order}.p7s`)
      }
    >
      {t('downloadEvidence')}
    </Button>
  );
}
