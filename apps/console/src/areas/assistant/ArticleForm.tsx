import { Button, Group, Select, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { asProblem } from '../../shared/api/problem.ts';
import { useTexts } from '../../shared/texts.ts';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import { knowledgeTexts } from './texts.ts';

const languages = ['mn', 'en', 'zh', 'ru'] as const;

/** Edited article; an absent source is an empty text. */
export interface ArticleDraft {
  readonly title: string;
  readonly content: string;
  readonly tags: string[];
  readonly language: (typeof languages)[number];
  readonly source: string;
}

/** Form of an article. A refusal is shown above the buttons; the input stays. */
export function ArticleForm({
  initial,
  isReadOnly = false,
  onSave,
  onStale,
}: {
  readonly initial: ArticleDraft;
  readonly isReadOnly?: boolean;
  readonly onSave: (draft: ArticleDraft) => Promise<unknown>;
  /** Remedy shown after an edit conflict. */
  readonly onStale?: ReactNode;
}) {
  const t = useTexts(knowledgeTexts);
  const [problem, setProblem] = useState<unknown>(null);
  const [isSaving, setSaving] = useState(false);
  const needed = (value: string) => (value.trim() === '' ? t('required') : null);
  const form = useForm<ArticleDraft>({
    initialValues: initial,
    validate: { title: needed, content: needed },
  });
  const save = async (draft: ArticleDraft) => {
    setProblem(null);
    setSaving(true);
    try {
      await onSave(draft);
      form.resetDirty();
    } catch (error) {
      setProblem(error);
    } finally {
      setSaving(false);
    }
  };
  return (
    <form onSubmit={form.onSubmit((draft) => void save(draft))} noValidate>
      <Stack>
        <TextInput
          label={t('title')}
          required
          maxLength={200}
          readOnly={isReadOnly}
          {...form.getInputProps('title')}
        />
        <Textarea
          label={t('content')}
          description={t('contentHint')}
          required
          autosize
          minRows={10}
          maxRows={28}
          maxLength={20_000}
          readOnly={isReadOnly}
          {...form.getInputProps('content')}
        />
        <Group grow align="flex-start" preventGrowOverflow={false} wrap="wrap">
          <Select
            label={t('language')}
            allowDeselect={false}
            readOnly={isReadOnly}
            miw={160}
            data={languages.map((value) => ({ value, label: t(`lang_${value}`) }))}
            {...form.getInputProps('language')}
          />
          <TextInput
            label={t('source')}
            maxLength={500}
            readOnly={isReadOnly}
            miw={220}
            description={t('sourceHint')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            {...form.getInputProps('source')}
          />
        </Group>
        <TagsInput
          label={t('tags')}
          maxTags={20}
          readOnly={isReadOnly}
          description={t('tagsHint')}
          {...form.getInputProps('tags')}
        />
        {problem !== null && <ProblemAlert error={problem} />}
        {asProblem(problem).status === 412 && onStale}
        {!isReadOnly && (
          <Group justify="space-between">
            <Button type="submit" loading={isSaving}>
              {t('save')}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}

/** Request body of a draft. */
export function bodyOf({ source, ...draft }: ArticleDraft) {
  return { ...draft, source: source.trim() === '' ? null : source };
}
