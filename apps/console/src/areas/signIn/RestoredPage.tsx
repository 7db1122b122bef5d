import '@mantine/core/styles/List.layer.css';
import { Alert, Anchor, Button, List, Stack, Text, Title } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '../../app/session.ts';
import { leaveFor, signOut } from '../../app/visitor.ts';
import type { Account } from '../../shared/account.ts';
import { answerOf, api } from '../../shared/api/client.ts';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { type AnswerOf, useRead } from '../../shared/api/useRead.ts';
import { useTexts } from '../../shared/texts.ts';
import { FactList, Timestamp } from '../../shared/ui/parts.tsx';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import { Frame } from './Frame.tsx';
import { restoredTexts } from './restoredTexts.ts';
import { texts } from './texts.ts';

type Report = AnswerOf<'/v3/admin/restored/report'>;

/** Interval in which the page looks whether another operator asked, or more evidence was given, ms. */
const EVERY_MS = 5000;

/** Report on the time after the backup, which one operator asks another to accept. */
export default function RestoredPage({ account }: { readonly account: Account | null }) {
  return (
    <QueryClientProvider client={queries}>
      <Accepting account={account} />
    </QueryClientProvider>
  );
}

function Accepting({ account }: { readonly account: Account | null }) {
  const t = useTexts(restoredTexts);
  const ofSignIn = useTexts(texts);
  const [isAccepted, setAccepted] = useState(false);
  const { data: report, error } = useRead(
    '/v3/admin/restored/report',
    {},
    { every: EVERY_MS, enabled: !isAccepted },
  );
  return (
    <Frame title={t('title')} lead={t('lead')} isWide>
      {isAccepted || error?.status === 404 ? (
        <Alert color="green" title={t('accepted')} role="status">
          <Button size="xs" onClick={() => leaveFor('/login', '/')}>
            {ofSignIn('title')}
          </Button>
        </Alert>
      ) : (
        <>
          {error !== null && <ProblemAlert error={error} />}
          {report !== undefined && (
            <>
              <Known report={report} />
              <Deciding report={report} account={account} onAccepted={() => setAccepted(true)} />
            </>
          )}
          <Anchor component="button" type="button" size="sm" onClick={() => void signOut()}>
            {ofSignIn('signOut')}
          </Anchor>
        </>
      )}
    </Frame>
  );
}

function Known({ report }: { readonly report: Report }) {
  const t = useTexts(restoredTexts);
  const { madeAt, restoredAt, events, head, root, findings } = report;
  const facts = [
    { label: t('madeAt'), value: <Timestamp value={madeAt} /> },
    { label: t('restoredAt'), value: <Timestamp value={restoredAt} /> },
    { label: t('events'), value: events },
    { label: t('head'), value: head, copy: head },
    { label: t('root'), value: root, copy: root },
  ];
  const told = (isApplied: boolean) =>
    findings.filter((finding) => finding.isApplied === isApplied).map(({ what }) => what);
  return (
    <Stack gap="sm">
      <FactList facts={facts} />
      {findings.length === 0 && <Text size="sm">{t('unknown')}</Text>}
      <Items title={t('todo')} items={told(false)} />
      <Items title={t('done')} items={told(true)} />
      <Items title={t('after')} items={[t('forget'), t('ends'), t('secrets')]} />
    </Stack>
  );
}

function Items({ title, items }: { readonly title: string; readonly items: readonly string[] }) {
  if (items.length === 0) return null;
  return (
    <section aria-label={title}>
      <Title order={2} size="h4">
        {title}
      </Title>
      <List size="sm" withPadding>
        {items.map((item) => (
          <List.Item key={item}>{item}</List.Item>
        ))}
      </List>
    </section>
  );
}

function Deciding({
  report: { asked, findings },
  account,
  onAccepted,
}: {
  readonly report: Report;
  readonly account: Account | null;
  readonly onAccepted: () => void;
}) {
  const t = useTexts(restoredTexts);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [isUnderWay, setUnderWay] = useState(false);
  const body = { findings: findings.length };

  async function act(deed: () => Promise<unknown>) {
    setUnderWay(true);
    setProblem(null);
    try {
      await deed();
    } catch (error) {
      setProblem(asProblem(error));
    }
    await queries.invalidateQueries({ queryKey: ['/v3/admin/restored/report'] });
    setUnderWay(false);
  }

  const ask = () => act(() => answerOf(api.POST('/v3/admin/restored/ask', { body })));
  const accept = () =>
    act(async () => {
      await answerOf(api.POST('/v3/admin/restored/accept', { body }));
      onAccepted();
    });
  const isOwn = asked !== null && asked.by === account?.id;
  return (
    <Stack gap="sm" align="flex-start">
      {problem !== null && <ProblemAlert error={problem} />}
      {asked !== null && (
        <Text size="sm" role="status">
          {isOwn ? t('askedByYou') : t('askedBy', { who: asked.email ?? asked.by })}
        </Text>
      )}
      {asked === null && (
        <Button loading={isUnderWay} onClick={() => void ask()}>
          {t('ask')}
        </Button>
      )}
      {asked !== null && !isOwn && (
        <Button color="red" loading={isUnderWay} onClick={() => void accept()}>
          {t('accept')}
        </Button>
      )}
    </Stack>
  );
}
