import { Skeleton } from '@mantine/core';
import { type AnswerOf, useRead } from '../../shared/api/useRead.ts';
import { authorityWords, levelWords, useWords } from '../../shared/records/words.ts';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useTexts } from '../../shared/texts.ts';
import type { Column } from '../../shared/ui/columns.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { FactList, Section, StatusBadge, useFormats } from '../../shared/ui/parts.tsx';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import { whole } from '../../shared/whole.ts';
import { texts } from './texts.ts';
import { purposeTexts } from './words.ts';

type PkiStatus = AnswerOf<'/v3/admin/pki/status'>;
type Validity = PkiStatus['signers'][number]['certificate'];

/**
 * Remaining validity shown as a warning, days. Signer certificates are renewed automatically, days
 * before.
 */
const SOON = { authority: 90, signer: 2 } as const;

/** Inserts line-break opportunities into a distinguished name. */
const legible = (subject: string) => subject.replaceAll(',', ', ');

/** Certificate authorities, and certificates of the platform's signers. */
export function Pki() {
  const { data, error, refetch } = useRead('/v3/admin/pki/status', {});
  if (error !== null) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Skeleton height={240} /> : <Known pki={data} />;
}

function Known({ pki }: { readonly pki: PkiStatus }) {
  const t = useTexts(texts);
  const s = useTexts(sharedTexts);
  const { number, time } = useFormats();
  const authorityWord = useWords(authorityWords);
  const levelWord = useWords(levelWords);
  const purposeWord = useWords(purposeTexts);
  const authorities: readonly Column<PkiStatus['authorities'][number]>[] = [
    { key: 'authority', header: t('authority'), cell: ({ authority }) => authorityWord(authority) },
    {
      key: 'subject',
      header: t('subject'),
      cell: ({ certificate }) => legible(certificate.subject),
    },
    { key: 'issues', header: t('issues'), cell: ({ issues }) => s(issues ? 'yes' : 'no') },
    { key: 'keyType', header: t('keyType'), cell: ({ keyType }) => keyType },
    {
      key: 'revoked',
      header: t('revoked'),
      align: 'end',
      cell: ({ revocationCount }) => number(revocationCount),
    },
    {
      key: 'crl',
      header: t('crl'),
      cell: ({ crl }) =>
        crl === null
          ? t('noCrl')
          : t('crlUntil', { number: crl.number, until: time(crl.nextUpdate) }),
    },
    {
      key: 'expires',
      header: t('expires'),
      cell: ({ certificate }) => <Expiry certificate={certificate} soon={SOON.authority} />,
    },
  ];
  const signers: readonly Column<PkiStatus['signers'][number]>[] = [
    { key: 'purpose', header: t('purpose'), cell: ({ purpose }) => purposeWord(purpose) },
    {
      key: 'subject',
      header: t('subject'),
      cell: ({ certificate }) => legible(certificate.subject),
    },
    {
      key: 'expires',
      header: t('expires'),
      cell: ({ certificate }) => <Expiry certificate={certificate} soon={SOON.signer} />,
    },
  ];
  return (
    <>
      <Section title={t('authorities')}>
        <DataTable
          isWhole
          label={t('authorities')}
          columns={authorities}
          source={whole(pki.authorities)}
          rowKey={({ authority }) => authority}
        />
      </Section>
      <Section title={t('signers')}>
        <DataTable
          isWhole
          label={t('signers')}
          columns={signers}
          source={whole(pki.signers)}
          rowKey={({ certificate }) => certificate.serialNumber}
        />
      </Section>
      <Section title={t('seal')}>
        <FactList
          facts={[
            {
              label: t('sealDevice'),
              value: (
                <StatusBadge tone={pki.seal.qualifiedDevice ? 'good' : 'neutral'}>
                  {s(pki.seal.qualifiedDevice ? 'yes' : 'no')}
                </StatusBadge>
              ),
            },
            { label: t('sealLevel'), value: levelWord(pki.seal.certificateLevel) },
            { label: t('ocsp'), value: pki.ocspAddress, copy: pki.ocspAddress },
          ]}
        />
      </Section>
    </>
  );
}

function Expiry({
  certificate,
  soon,
}: {
  readonly certificate: Validity;
  /** Threshold of the warning, days. */
  readonly soon: number;
}) {
  const t = useTexts(texts);
  const { date } = useFormats();
  const { expiresInDays: days, notAfter } = certificate;
  return (
    <span title={notAfter}>
      {date(notAfter)}{' '}
      <StatusBadge tone={days < soon ? 'bad' : 'neutral'}>
        {t('inDays', { count: days })}
      </StatusBadge>
    </span>
  );
}
