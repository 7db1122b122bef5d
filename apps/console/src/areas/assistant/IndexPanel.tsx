import { Alert, Button, Group, Progress, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { type AnswerOf, useRead } from '../../shared/api/useRead.ts';
import { useTexts } from '../../shared/texts.ts';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import { Can, Section, useFormats } from '../../shared/ui/parts.tsx';
import { unwrapped, unwrappedSource, type Within } from './enveloped.ts';
import classes from './assistant.module.css';
import { knowledgeTexts } from './texts.ts';

const REINDEX = '/api/v1/admin/ai/knowledge/reindex';
/** Polling interval of a run, ms. */
const WATCH_MS = 1000;

type State = Within<AnswerOf<typeof REINDEX>>;

/** Search index of the knowledge base: state, progress, and a trial search. */
export function IndexPanel() {
  return (
    <Stack mt="xl">
      <Index />
      <Trial />
    </Stack>
  );
}

function Index() {
  const t = useTexts(knowledgeTexts);
  const reindex = useCommand({
    run: () => unwrapped(api.POST(REINDEX)),
    touches: ['/api/v1/admin/ai/knowledge/reindex'],
  });
  const read = useRead(REINDEX, {}, reindex.isPending ? { every: WATCH_MS } : {});
  const { data, error, refetch } = unwrappedSource(read);
  const run = async () => {
    const outcome = await reindex.mutateAsync();
    // 202 means here that the run continues, not that an approval is pending.
    const message =
      outcome.kind === 'done' ? t('reindexed', { count: outcome.data.embedded }) : t('goesOn');
    notifications.show({ color: 'green', message });
  };
  return (
    <Section
      title={t('indexing')}
      actions={
        data?.mode === 'vector' && (
          <Can capability="config:write">
            <Button
              variant="default"
              loading={reindex.isPending}
              onClick={() => void run().catch(() => undefined)}
            >
              {t('reindex')}
            </Button>
          </Can>
        )
      }
    >
      {error !== null && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {reindex.error !== null && <ProblemAlert error={reindex.error} />}
      {data !== undefined && <IndexState state={data} />}
    </Section>
  );
}

function IndexState({ state }: { readonly state: State }) {
  const t = useTexts(knowledgeTexts);
  const { number } = useFormats();
  const { mode, model, articles, passages, embedded, failed } = state;
  if (mode === 'keyword') {
    return (
      <Stack gap={4}>
        <Text size="sm">{t('modeKeyword')}</Text>
        <Text size="sm" c="dimmed">
          {t('keywordCount', { articles: number(articles), passages: number(passages) })}
        </Text>
      </Stack>
    );
  }
  return (
    <Stack gap="xs">
      <Text size="sm">{t('modeVector', { model: model ?? '' })}</Text>
      <Progress.Root>
        <Progress.Section
          value={passages === 0 ? 100 : (embedded / passages) * 100}
          aria-label={t('progressOf')}
          aria-valuetext={t('progress', { embedded, passages })}
        />
      </Progress.Root>
      <Text size="sm" c="dimmed" role="status">
        {t('progress', { embedded: number(embedded), passages: number(passages) })}
      </Text>
      {failed && (
        <Alert color="yellow" role="alert">
          {t('failed')}
        </Alert>
      )}
    </Stack>
  );
}

function Trial() {
  const t = useTexts(knowledgeTexts);
  const { number } = useFormats();
  const [query, setQuery] = useState('');
  const trial = useMutation({
    mutationFn: async (question: string) => {
      const call = api.POST('/api/v1/admin/ai/knowledge/search', { body: { query: question } });
      return (await answerOf(call)).data;
    },
  });
  return (
    <Section title={t('tryOut')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (query.trim() !== '') trial.mutate(query);
        }}
      >
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t('tryQuestion')}
            description={t('tryLead')}
            maxLength={500}
            value={query}
            className={classes.grow}
            onChange={(event) => setQuery(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={trial.isPending}>
            {t('find')}
          </Button>
        </Group>
      </form>
      <div aria-live="polite">
        {trial.error !== null && <ProblemAlert error={trial.error} />}
        {trial.data?.count === 0 && (
          <Text mt="md" size="sm">
            {t('nothingFound')}
          </Text>
        )}
        <Stack mt="md" gap="sm" component="ol" className={classes.found}>
          {trial.data?.results.map(({ title, content, source, score }) => (
            <li key={title + content} className={classes.passage}>
              <Group justify="space-between" gap="xs">
                <Text fw={600} size="sm">
                  {title}
                </Text>
                {score !== undefined && (
                  <Text size="xs" c="dimmed">
                    {t('score', { score: number(score) })}
                  </Text>
                )}
              </Group>
              <Text size="sm" lineClamp={4}>
                {content}
              </Text>
              {source !== undefined && (
                <Text size="xs" c="dimmed">
                  {source}
                </Text>
              )}
            </li>
          ))}
        </Stack>
      </div>
    </Section>
  );
}
