import { Checkbox, Select, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { fieldErrors } from '../../shared/api/fieldErrors.ts';
import { useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { FormFoot } from '../../shared/ui/FormFoot.tsx';
import {
  allScopes,
  type AuthMethod,
  authMethods,
  fieldsOf,
  idTokenAlgorithms,
  isKeyList,
  newClient,
  type Settings,
  settingsIn,
} from './settings.ts';
import { scopeWords, texts } from './texts.ts';

const lists = ['redirectUris', 'postLogoutRedirectUris'] as const;

/**
 * Settings of a client, to register or to edit. Faults found by the service are shown at their
 * fields.
 */
export function SettingsForm({
  initial = newClient,
  methods = authMethods,
  action,
  first,
  isReady = true,
  onSubmit,
  onCancel,
}: {
  readonly initial?: Settings;
  /** Selectable authentication methods. */
  readonly methods?: readonly AuthMethod[];
  /** Label of the button. */
  readonly action: string;
  /** Additional fields of the page, above the others. */
  readonly first?: ReactNode;
  /** True when the additional fields are filled. */
  readonly isReady?: boolean;
  /** Rejects with the service's refusal. */
  readonly onSubmit: (settings: Settings) => Promise<unknown>;
  readonly onCancel: () => void;
}) {
  const t = useTexts(texts);
  const scope = useWords(scopeWords);
  const [problem, setProblem] = useState<unknown>(null);
  const form = useForm({
    initialValues: fieldsOf(initial),
    validate: {
      keys: (keys, { authMethod }) =>
        authMethod === 'private_key_jwt' && !isKeyList(keys) ? t('keysFault') : null,
    },
  });

  async function submit(values: ReturnType<typeof form.getValues>) {
    setProblem(null);
    try {
      await onSubmit(settingsIn(values));
    } catch (error) {
      setProblem(error);
      form.setErrors(fieldErrors(error, Object.keys(values)));
    }
  }

  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="md">
        {first}
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {(['name', 'nameEn'] as const).map((name) => (
            <TextInput
              key={name}
              label={t(name)}
              description={t(`${name}Help`)}
              required={name === 'name'}
              autoComplete="off"
              {...form.getInputProps(name)}
            />
          ))}
        </SimpleGrid>
        {lists.map((name) => (
          <Textarea
            key={name}
            label={t(name)}
            description={t(`${name}Help`)}
            required={name === 'redirectUris'}
            autosize
            minRows={2}
            maxRows={8}
            spellCheck={false}
            {...form.getInputProps(name)}
          />
        ))}
        <TextInput
          label={t('backchannelLogoutUri')}
          description={t('backchannelLogoutUriHelp')}
          autoComplete="off"
          {...form.getInputProps('backchannelLogoutUri')}
        />
        <Checkbox.Group label={t('scopes')} {...form.getInputProps('scopes')}>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt="xs">
            {allScopes.map((name) => (
              <Checkbox
                key={name}
                value={name}
                label={name}
                description={scope(name)}
                disabled={name === 'openid'}
              />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
        <Select
          label={t('authMethod')}
          data={[...methods]}
          allowDeselect={false}
          {...form.getInputProps('authMethod')}
        />
        {form.values.authMethod === 'private_key_jwt' && (
          <Textarea
            label={t('keys')}
            description={t('keysHelp')}
            autosize
            minRows={4}
            maxRows={14}
            spellCheck={false}
            {...form.getInputProps('keys')}
          />
        )}
        <Select
          label={t('idTokenSignedResponseAlg')}
          description={t('idTokenSignedResponseAlgHelp')}
          data={[...idTokenAlgorithms]}
          allowDeselect={false}
          {...form.getInputProps('idTokenSignedResponseAlg')}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {(['clientUri', 'logoUri'] as const).map((name) => (
            <TextInput
              key={name}
              label={t(name)}
              autoComplete="off"
              {...form.getInputProps(name)}
            />
          ))}
        </SimpleGrid>
        <TextInput
          label={t('organization')}
          description={t('organizationHelp')}
          autoComplete="off"
          {...form.getInputProps('organization')}
        />
        <FormFoot error={problem} onCancel={onCancel} loading={form.submitting} disabled={!isReady}>
          {action}
        </FormFoot>
      </Stack>
    </form>
  );
}
