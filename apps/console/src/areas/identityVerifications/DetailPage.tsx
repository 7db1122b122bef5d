import { Stack, Text } from '@mantine/core';
import { type AnswerOf, useRead } from '../../shared/api/useRead.ts';
import { Subject } from '../../shared/records/subjects.tsx';
import { Timeline } from '../../shared/records/Timeline.tsx';
import { VerificationStatus } from '../../shared/records/verifications.tsx';
import {
  failureWords,
  methodWords,
  verificationTexts,
} from '../../../../../api/pages/words/verificationWords.ts';
import { useWords } from '../../shared/records/words.ts';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useTexts } from '../../shared/texts.ts';
import type { Column } from '../../shared/ui/columns.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { DetailPage } from '../../shared/ui/DetailPage.tsx';
import { ShortId } from '../../shared/names.tsx';
import { FactList, Section, Timestamp } from '../../shared/ui/parts.tsx';
import { useAsOf } from '../../shared/useAsOf.ts';
import { usePathParams } from '../../shared/usePathParams.ts';
import { whole } from '../../shared/whole.ts';
import { evidenceWords, texts } from './texts.ts';

type Verification = AnswerOf<'/v3/admin/identity-verifications/{verificationId}'>;

export default function IdentityVerificationPage() {
  const t = useTexts(texts);
  const method = useTexts(methodWords);
  const { verificationId } = usePathParams('verificationId');
  const { query } = useAsOf();
  const source = useRead('/v3/admin/identity-verifications/{verificationId}', {
    params: { path: { verificationId }, query },
  });
  return (
    <DetailPage
      source={source}
      title={(verification) => `${t('title')} · ${method(verification.method)}`}
      lead={(verification) => <VerificationStatus status={verification.status} />}
      back={{ to: '/identity-verifications', label: t('nav') }}
      since={(verification) => verification.startedAt}
      subject={(verification) => verification.verificationId}
    >
      {(verification) => <Parts verification={verification} />}
    </DetailPage>
  );
}

function Parts({ verification }: { readonly verification: Verification }) {
  const t = useTexts(texts);
  const { failures, timeline } = verification;
  return (
    <Stack>
      <Section title={t('timeline')}>
        <Timeline label={t('timeline')} events={timeline} />
      </Section>
      <About verification={verification} />
      {failures.length > 0 && <Failures failures={failures} />}
      <Evidence evidence={verification.evidence} />
    </Stack>
  );
}

function About({ verification }: { readonly verification: Verification }) {
  const t = useTexts(texts);
  const v = useTexts(verificationTexts);
  const method = useTexts(methodWords);
  const { verificationId, personEtsi, attempts, attemptsAllowed } = verification;
  return (
    <Section title={t('about')}>
      <FactList
        facts={[
          { label: v('id'), value: <ShortId id={verificationId} />, copy: verificationId },
          { label: v('method'), value: method(verification.method) },
          { label: v('status'), value: <VerificationStatus status={verification.status} /> },
          {
            label: v('person'),
            value: personEtsi === null ? t('nobodyYet') : <Subject id={personEtsi} />,
          },
          { label: t('attempts'), value: t('attemptsOf', { attempts, allowed: attemptsAllowed }) },
          { label: v('startedAt'), value: <Timestamp value={verification.startedAt} /> },
          { label: t('expiresAt'), value: <Timestamp value={verification.expiresAt} /> },
          { label: t('endedAt'), value: <Timestamp value={verification.endedAt} /> },
        ]}
      />
    </Section>
  );
}

type Failure = Verification['failures'][number];

function Failures({ failures }: { readonly failures: readonly Failure[] }) {
  const t = useTexts(texts);
  const s = useTexts(sharedTexts);
  const reason = useTexts(failureWords);
  const columns: readonly Column<Failure>[] = [
    { key: 'attempt', header: t('attempt'), cell: (failure) => failure.attempt },
    { key: 'reason', header: t('reason'), cell: (failure) => reason(failure.reason) },
    { key: 'counts', header: t('counts'), cell: ({ counts }) => s(counts ? 'yes' : 'no') },
    { key: 'time', header: t('time'), cell: ({ time }) => <Timestamp value={time} /> },
  ];
  return (
    <Section title={t('failures')}>
      <DataTable
        label={t('failures')}
        columns={columns}
        source={whole(failures)}
        rowKey={({ attempt }) => String(attempt)}
        isWhole
      />
    </Section>
  );
}

/** Evidence recorded by the provider, by method. */
function Evidence({ evidence }: Pick<Verification, 'evidence'>) {
  const t = useTexts(texts);
  const word = useWords(evidenceWords);
  return (
    <Section title={t('evidence')}>
      {evidence.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('noEvidence')}
        </Text>
      ) : (
        <FactList
          facts={evidence.map(({ name, text }) => ({ label: word(name), value: word(text) }))}
        />
      )}
    </Section>
  );
}
