import { Code, Stack, Text } from '@mantine/core';
import { useRead } from '../../shared/api/useRead.ts';
import { ShortId } from '../../shared/names.tsx';
import { useWords } from '../../shared/records/words.ts';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useTexts } from '../../shared/texts.ts';
import type { Column } from '../../shared/ui/columns.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { DetailPage } from '../../shared/ui/DetailPage.tsx';
import { FactList, Section, StatusBadge, Timestamp, useFormats } from '../../shared/ui/parts.tsx';
import { usePathParams } from '../../shared/usePathParams.ts';
import { whole } from '../../shared/whole.ts';
import { Signatures } from './Signatures.tsx';
import { Status } from './Status.tsx';
import { formatWords, methodWords, proofWords, reasonWords, texts, typeWords } from './texts.ts';
import type { Document } from './types.ts';

export default function DocumentPage() {
  const t = useTexts(texts);
  const { id } = usePathParams('id');
  const source = useRead('/v3/admin/documents/{id}', { params: { path: { id } } });
  return (
    <DetailPage
      source={source}
      title={(document) => document.title}
      lead={(document) => <Status status={document.status} />}
      back={{ to: '/documents', label: t('nav') }}
      subject={(document) => document.id}
    >
      {(document) => (
        <Stack>
          <About document={document} />
          <File document={document} />
          {document.signed_record !== null && (
            <Section title={t('record')}>
              <Code block>{document.signed_record}</Code>
            </Section>
          )}
          <Rails rails={document.rails} />
          <Signers document={document} />
          <Signatures signatures={document.signatures} />
        </Stack>
      )}
    </DetailPage>
  );
}

function About({ document }: { readonly document: Document }) {
  const t = useTexts(texts);
  const type = useWords(typeWords);
  const format = useWords(formatWords);
  const proof = useWords(proofWords);
  const { id, tenant_id: tenant, covered_digest: covered } = document;
  return (
    <Section title={t('about')}>
      <FactList
        facts={[
          { label: t('id'), value: <ShortId id={id} />, copy: id },
          { label: t('tenant'), value: tenant },
          { label: t('docType'), value: type(document.doc_type) },
          { label: t('status'), value: <Status status={document.status} /> },
          { label: t('format'), value: format(document.format) },
          { label: t('coveredDigest'), value: covered, copy: covered },
          { label: t('proof'), value: document.proof === null ? null : proof(document.proof) },
          { label: t('createdAt'), value: <Timestamp value={document.created_at} /> },
          { label: t('updatedAt'), value: <Timestamp value={document.updated_at} /> },
        ]}
      />
    </Section>
  );
}

function File({ document: { file, signatures } }: { readonly document: Document }) {
  const t = useTexts(texts);
  const { size } = useFormats();
  if (file === null) {
    return (
      <Section title={t('file')}>
        <Text size="sm" c="dimmed">
          {t('noFile')}
        </Text>
      </Section>
    );
  }
  return (
    <Section title={t('file')}>
      <FactList
        facts={[
          { label: t('fileName'), value: file.file_name },
          { label: t('contentType'), value: file.content_type },
          { label: t('size'), value: size(file.size_bytes) },
          { label: t('digest'), value: file.sha256, copy: file.sha256 },
        ]}
      />
      {signatures.length > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('frozen')}
        </Text>
      )}
    </Section>
  );
}

/** Signing rails of the document, with the reasons against those unavailable. */
function Rails({ rails }: Pick<Document, 'rails'>) {
  const t = useTexts(texts);
  const method = useTexts(methodWords);
  const reason = useTexts(reasonWords);
  return (
    <Section title={t('rails')}>
      <FactList
        facts={rails.map((rail) => ({
          label: method(rail.method),
          value: (
            <StatusBadge tone={rail.available ? 'good' : 'neutral'}>
              {rail.reason === undefined ? t('available') : reason(rail.reason)}
            </StatusBadge>
          ),
        }))}
      />
    </Section>
  );
}

type Signer = Document['signers'][number];

function Signers({ document: { signers } }: { readonly document: Document }) {
  const t = useTexts(texts);
  const s = useTexts(sharedTexts);
  const columns: readonly Column<Signer>[] = [
    { key: 'order', header: t('order'), cell: (signer) => signer.order },
    {
      key: 'who',
      header: t('regNumber'),
      cell: (signer) =>
        signer.reg_number?.toUpperCase() ?? t(signer.is_named ? 'forgotten' : 'anybody'),
    },
    { key: 'named', header: t('named'), cell: (signer) => s(signer.is_named ? 'yes' : 'no') },
    { key: 'at', header: t('signedAt'), cell: (signer) => <Timestamp value={signer.signed_at} /> },
  ];
  return (
    <Section title={t('signers')}>
      <DataTable
        label={t('signers')}
        columns={columns}
        source={whole(signers)}
        rowKey={({ order }) => String(order)}
        isWhole
      />
    </Section>
  );
}
