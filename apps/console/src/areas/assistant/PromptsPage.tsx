import { Button, Group, Skeleton, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { may, useAccount } from '../../shared/account.ts';
import { api } from '../../shared/api/client.ts';
import { type AnswerOf, useRead } from '../../shared/api/useRead.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { useTexts } from '../../shared/texts.ts';
import { useNotifyOutcome } from '../../shared/ui/FourEyes.tsx';
import { PageHeader, Section, Timestamp } from '../../shared/ui/parts.tsx';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import { unwrapped, unwrappedSource, type Within } from './enveloped.ts';
import { knowledgeTexts, promptTexts } from './texts.ts';

const ADDRESS = '/api/v1/admin/ai/prompts';
type Prompt = Within<AnswerOf<typeof ADDRESS>>[number];

/** Limit of contract §12. */
const longestPrompt = 4000;

export default function PromptsPage() {
  const t = useTexts(promptTexts);
  const k = useTexts(knowledgeTexts);
  const { data, error, refetch } = unwrappedSource(useRead(ADDRESS, {}));
  return (
    <>
      <PageHeader title={t('nav')} lead={t('lead')} back={{ to: '/knowledge', label: k('nav') }} />
      {error !== null && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={260} aria-busy />}
      <Stack>
        {data?.map((prompt) => (
          <Section key={prompt.prompt} title={t(prompt.prompt)}>
            <PromptForm key={prompt.version} prompt={prompt} onReadAgain={refetch} />
          </Section>
        ))}
      </Stack>
    </>
  );
}

function PromptForm({
  prompt: { prompt, content, version, changed_by: by, changed_at: at },
  onReadAgain,
}: {
  readonly prompt: Prompt;
  readonly onReadAgain: () => unknown;
}) {
  const t = useTexts(promptTexts);
  const k = useTexts(knowledgeTexts);
  const tell = useNotifyOutcome();
  const isReadOnly = !may(useAccount(), 'config:write');
  const [text, setText] = useState(content);
  const change = useCommand({
    run: (next: string) =>
      unwrapped(
        api.PUT('/api/v1/admin/ai/prompts/{prompt}', {
          params: { path: { prompt } },
          headers: { 'if-match': `"${version}"` },
          body: { content: next },
        }),
      ),
    touches: [ADDRESS],
  });
  const save = async () => tell(await change.mutateAsync(text), t('saved'));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save().catch(() => undefined);
      }}
    >
      <Stack gap="sm">
        <Textarea
          aria-label={t(prompt)}
          description={t(`${prompt}Hint`)}
          readOnly={isReadOnly}
          autosize
          minRows={6}
          maxRows={20}
          maxLength={longestPrompt}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Group justify="space-between" gap="xs">
          <Text size="xs" c="dimmed">
            {by === null ? t('asShipped') : t('changed', { by })}{' '}
            {at !== null && <Timestamp value={at} />}
          </Text>
          <Text size="xs" c="dimmed">
            {t('characters', { count: text.length, most: longestPrompt })}
          </Text>
        </Group>
        {change.error !== null && <ProblemAlert error={change.error} />}
        <Group>
          {change.error?.status === 412 && (
            <Button variant="default" onClick={() => void onReadAgain()}>
              {k('readAgain')}
            </Button>
          )}
          {!isReadOnly && (
            <Button type="submit" loading={change.isPending} disabled={text === content}>
              {t('save')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
