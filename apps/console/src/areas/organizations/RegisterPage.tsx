import { Button, Group, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../shared/api/client.ts';
import { fieldErrors } from '../../shared/api/fieldErrors.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { SettingFields } from '../../shared/settings/SettingFields.tsx';
import { fieldsOf, initialOf, valuesOf } from '../../shared/settings/settings.ts';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useTexts } from '../../shared/texts.ts';
import { useNotifyOutcome } from '../../shared/ui/FourEyes.tsx';
import { PageHeader, Section } from '../../shared/ui/parts.tsx';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import { newRight, rightBody, RightFields } from './rights.tsx';
import { settings } from './settings.ts';
import { texts } from './texts.ts';

const initialValues = {
  orgRegister: '',
  ...fieldsOf(settings, initialOf(settings)),
  activate: false,
  firstAdmin: newRight,
};
type Values = typeof initialValues;

const fields = [
  ...['orgRegister', ...Object.keys(settings), 'activate'],
  ...Object.keys(newRight).map((field) => `firstAdmin.${field}`),
];

export default function RegisterPage() {
  const t = useTexts(texts);
  const s = useTexts(sharedTexts);
  const navigate = useNavigate();
  const tell = useNotifyOutcome();
  const [problem, setProblem] = useState<unknown>(null);
  const form = useForm({ initialValues });
  const register = useCommand({
    run: ({ orgRegister, activate, firstAdmin, ...fields }: Values) =>
      api.POST('/v3/admin/organizations', {
        body: {
          orgRegister: orgRegister.trim(),
          ...valuesOf(settings, fields),
          activate,
          firstAdmin: firstAdmin.personEtsi.trim() === '' ? null : rightBody(firstAdmin),
        },
      }),
    touches: ['/v3/admin/organizations'],
  });

  async function submit(values: Values) {
    setProblem(null);
    try {
      const outcome = await register.mutateAsync(values);
      tell(outcome, t('registered'));
      if (outcome.kind === 'done') {
        void navigate({ to: `/organizations/${outcome.data.orgEtsi}` });
      }
    } catch (error) {
      setProblem(error);
      form.setErrors(fieldErrors(error, fields));
    }
  }

  return (
    <>
      <PageHeader title={t('registerTitle')} back={{ to: '/organizations', label: t('nav') }} />
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack>
          <Section title={t('facts')}>
            <Stack>
              <TextInput
                label={t('orgRegister')}
                required
                autoComplete="off"
                {...form.getInputProps('orgRegister')}
              />
              <SettingFields settings={settings} texts={texts} form={form} others={{}} />
              <Switch
                label={t('activate')}
                description={t('activateHelp')}
                {...form.getInputProps('activate', { type: 'checkbox' })}
              />
            </Stack>
          </Section>
          <Section title={t('firstAdmin')}>
            <Stack>
              <span>{t('firstAdminHelp')}</span>
              <RightFields form={form} within="firstAdmin." isRequired={false} />
            </Stack>
          </Section>
          {problem !== null && <ProblemAlert error={problem} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" component={Link} to="/organizations">
              {s('cancel')}
            </Button>
            <Button type="submit" loading={form.submitting}>
              {t('register')}
            </Button>
          </Group>
        </Stack>
      </form>
    </>
  );
}
