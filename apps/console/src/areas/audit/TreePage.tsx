import { Stack, Text } from '@mantine/core';
import { useTexts } from '../../shared/texts.ts';
import { FactList, PageHeader, Section, Timestamp, useFormats } from '../../shared/ui/parts.tsx';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import { Result } from './Proof.tsx';
import { SignHead } from './SignHead.tsx';
import { texts } from './texts.ts';
import { type Continuity, useContinuity } from './useVerified.ts';

export default function TreePage() {
  const t = useTexts(texts);
  const { data, error, refetch } = useContinuity();
  return (
    <>
      <PageHeader
        title={t('treeTitle')}
        lead={t('treeLead')}
        back={{ to: '/audit', label: t('nav') }}
        actions={<SignHead />}
      />
      {error !== null && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Text c="dimmed">{t('checking')}</Text>}
      {data !== undefined && <Head found={data} />}
    </>
  );
}

function Head({ found }: { readonly found: Continuity }) {
  const t = useTexts(texts);
  const { number } = useFormats();
  const { head, seen, kind } = found;
  return (
    <Stack>
      <Section title={t('continuity')}>
        <Stack gap="sm">
          {!(kind in words) ? (
            <Result kind="wrong" detail={kind as Exclude<typeof kind, Good>} />
          ) : (
            <Text size="sm" role="status">
              {t(words[kind as Good], {
                first: number(seen?.treeSize ?? 0),
                second: number(head.treeSize),
              })}
            </Text>
          )}
          {seen !== null && (
            <FactList
              facts={[
                { label: t('seen'), value: <Timestamp value={seen.timestamp} isExact /> },
                { label: t('size'), value: number(seen.treeSize) },
                { label: t('root'), value: seen.rootHash },
              ]}
            />
          )}
        </Stack>
      </Section>
      <Section title={t('head')}>
        <FactList
          facts={[
            { label: t('size'), value: number(head.treeSize) },
            { label: t('signedAt'), value: <Timestamp value={head.timestamp} isExact /> },
            { label: t('root'), value: head.rootHash, copy: head.rootHash },
            { label: t('key'), value: head.keyId, copy: head.keyId },
            { label: t('signature'), value: head.signature, copy: head.signature },
          ]}
        />
      </Section>
    </Stack>
  );
}

const words = { first: 'seenFirst', same: 'sameHead', continued: 'continued' } as const;
type Good = keyof typeof words;
