import { Checkbox, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { fieldErrors } from '../../shared/api/fieldErrors.ts';
import { SettingFields } from '../../shared/settings/SettingFields.tsx';
import { fieldsOf, initialOf, valuesOf } from '../../shared/settings/settings.ts';
import { permissionWords } from '../../../../../api/pages/words/permissionWords.ts';
import { useTexts } from '../../shared/texts.ts';
import { FormFoot } from '../../shared/ui/FormFoot.tsx';
import { allPermissions, type Settings, settings } from './settings.ts';
import { texts } from './texts.ts';

/**
 * Settings of a relying party, to register or to edit. Faults found by the service are shown at
 * their fields.
 */
export function SettingsForm({
  initial = initialOf(settings),
  action,
  last,
  onSubmit,
  onCancel,
}: {
  readonly initial?: Settings;
  /** Label of the button. */
  readonly action: string;
  /** Additional field of the page, below the others. */
  readonly last?: ReactNode;
  /** Rejects with the service's refusal. */
  readonly onSubmit: (settings: Settings) => Promise<unknown>;
  readonly onCancel: () => void;
}) {
  const t = useTexts(texts);
  const permissionName = useTexts(permissionWords);
  const [problem, setProblem] = useState<unknown>(null);
  const form = useForm({ initialValues: fieldsOf(settings, initial) });

  async function submit(values: ReturnType<typeof form.getValues>) {
    setProblem(null);
    try {
      await onSubmit(valuesOf(settings, values));
    } catch (error) {
      setProblem(error);
      form.setErrors(fieldErrors(error, Object.keys(values)));
    }
  }

  const bytes = new TextEncoder().encode(form.values.relyingPartyName.trim()).length;
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="md">
        <SettingFields
          settings={settings}
          texts={texts}
          form={form}
          others={{
            relyingPartyName: (
              <TextInput
                label={t('relyingPartyName')}
                description={t('relyingPartyNameHelp', { bytes })}
                required
                data-autofocus
                autoComplete="off"
                {...form.getInputProps('relyingPartyName')}
              />
            ),
            permissions: (
              <Checkbox.Group label={t('permissions')} {...form.getInputProps('permissions')}>
                <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt="xs">
                  {allPermissions.map((permission) => (
                    <Checkbox
                      key={permission}
                      value={permission}
                      label={permissionName(permission)}
                    />
                  ))}
                </SimpleGrid>
              </Checkbox.Group>
            ),
          }}
        />
        {last}
        <FormFoot error={problem} onCancel={onCancel} loading={form.submitting}>
          {action}
        </FormFoot>
      </Stack>
    </form>
  );
}
