import { Alert, Group, Stack, Text } from '@mantine/core';
import { IconShieldCheck, IconShieldX } from '@tabler/icons-react';
import { useTexts } from '../../shared/texts.ts';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import classes from './Proof.module.css';
import { SignHead } from './SignHead.tsx';
import { texts } from './texts.ts';
import { type Distrust, useInclusion, type Verdict } from './useVerified.ts';

/**
 * Inclusion proof of an entry in the signed tree, verified in this browser, with every hash of the
 * path.
 */
export function Proof({ eventId }: { readonly eventId: string }) {
  const t = useTexts(texts);
  const { data, error, refetch } = useInclusion(eventId);
  if (error !== null) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (data === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {t('checking')}
      </Text>
    );
  }
  if (data.kind === 'tooNew') {
    return (
      <Group>
        <Text size="sm">{t('tooNew')}</Text>
        <SignHead />
      </Group>
    );
  }
  return (
    <Stack>
      <Result kind={data.kind} detail={data.kind === 'verified' ? 'verifiedDetail' : data.kind} />
      {'steps' in data && <Path {...data} />}
    </Stack>
  );
}

/** Result of a check, with the reason of a failure. */
export function Result({
  kind,
  detail,
}: {
  readonly kind: string;
  readonly detail: 'verifiedDetail' | 'wrongPath' | 'forked' | Distrust;
}) {
  const t = useTexts(texts);
  const isGood = kind === 'verified';
  return (
    <Alert
      color={isGood ? 'tamga' : 'red'}
      role="status"
      icon={isGood ? <IconShieldCheck aria-hidden /> : <IconShieldX aria-hidden />}
      title={t(isGood ? 'verified' : 'notVerified')}
    >
      {t(detail)}
    </Alert>
  );
}

function Path({ leaf, steps, head }: Extract<Verdict, { readonly leaf: string }>) {
  const t = useTexts(texts);
  return (
    <>
      <Text size="sm" c="dimmed">
        {t('proofLead')}
      </Text>
      <ol className={classes.path}>
        <li data-end>
          <span>{t('leaf')}</span>
          <code>{leaf}</code>
        </li>
        {steps.map(({ side, sibling, hash }) => (
          <li key={hash} data-side={side}>
            <span>{t(side)}</span>
            <code>{sibling}</code>
            <span aria-hidden>↓ SHA-256</span>
            <code>{hash}</code>
          </li>
        ))}
        <li data-end>
          <span>{t('root')}</span>
          <code>{head.rootHash}</code>
        </li>
      </ol>
    </>
  );
}
