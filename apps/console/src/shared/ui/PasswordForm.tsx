import { Button, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { answerOf, api } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import { useTexts } from '../texts.ts';
import { passwordTexts } from './passwordTexts.ts';
import { ProblemAlert } from './ProblemAlert.tsx';

/** Minimum length, as in `application/operator/password.ts`. */
export const SHORTEST = 8;

/**
 * Changes the operator's own password, confirming the current one. @param onDone called after
 * success
 */
export function PasswordForm({ onDone }: { readonly onDone: () => void | Promise<void> }) {
  const t = useTexts(passwordTexts);
  const [problem, setProblem] = useState<unknown>(null);
  const form = useForm({
    initialValues: { current: '', next: '', again: '' },
    validate: {
      next: (next, { current }) => {
        if (next.length < SHORTEST) return t('tooShort', { count: SHORTEST });
        return next === current ? t('same') : null;
      },
      again: (again, { next }) => (again === next ? null : t('differ')),
    },
  });

  async function submit({ current, next }: { readonly current: string; readonly next: string }) {
    setProblem(null);
    try {
      const body = { currentPassword: current, newPassword: next };
      await answerOf(api.POST('/v3/admin/auth/password', { body }));
      form.reset();
      await onDone();
    } catch (error) {
      setProblem(asProblem(error));
    }
  }

  return (
    <form onSubmit={form.onSubmit(submit)}>
      <Stack gap="md">
        <PasswordInput
          label={t('current')}
          autoComplete="current-password"
          required
          withAsterisk={false}
          {...form.getInputProps('current')}
        />
        <PasswordInput
          label={t('next')}
          autoComplete="new-password"
          required
          withAsterisk={false}
          {...form.getInputProps('next')}
        />
        <PasswordInput
          label={t('again')}
          autoComplete="new-password"
          required
          withAsterisk={false}
          {...form.getInputProps('again')}
        />
        {problem !== null && <ProblemAlert error={problem} />}
        <Button type="submit" loading={form.submitting}>
          {t('change')}
        </Button>
      </Stack>
    </form>
  );
}
