import { Checkbox, Select, SimpleGrid, Stack, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { fieldErrors } from '../../shared/api/fieldErrors.ts';
import { useWords } from '../../shared/records/words.ts';
import { SettingFields } from '../../shared/settings/SettingFields.tsx';
import { fieldsOf, initialOf } from '../../shared/settings/settings.ts';
import { useTexts } from '../../shared/texts.ts';
import { FormFoot } from '../../shared/ui/FormFoot.tsx';
import {
  allScopes,
  applicationTypes,
  type AuthMethod,
  authMethods,
  backchannelModes,
  detailsTypes,
  hasSecret,
  idTokenAlgorithms,
  isJsonList,
  needsKeys,
  securityProfiles,
  type Settings,
  settings,
  settingsFrom,
  tokenFormats,
} from './settings.ts';
import { choiceWords, scopeWords, texts } from './texts.ts';

/**
 * Settings of a client, to register or to edit. Faults found by the service are shown at their
 * fields.
 */
export function SettingsForm({
  initial = initialOf(settings),
  methods = authMethods,
  action,
  first,
  ofSecret,
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
  /** Additional field of the page for clients with a secret, below the others. */
  readonly ofSecret?: ReactNode;
  /** True when the additional fields are filled. */
  readonly isReady?: boolean;
  /** Rejects with the service's refusal. */
  readonly onSubmit: (settings: Settings) => Promise<unknown>;
  readonly onCancel: () => void;
}) {
  const t = useTexts(texts);
  const scope = useWords(scopeWords);
  const choice = useWords(choiceWords);
  const worded = (values: readonly string[]) =>
    values.map((value) => ({ value, label: choice(value) }));
  const [problem, setProblem] = useState<unknown>(null);
  const form = useForm({
    initialValues: fieldsOf(settings, initial),
    validate: {
      keys: (keys, { authMethod }) =>
        needsKeys(authMethod) && !isJsonList(keys) ? t('keysFault') : null,
      exchanges: (pairs) => (pairs.trim() !== '' && !isJsonList(pairs) ? t('keysFault') : null),
      apiScopes: (scopes) => (scopes.trim() !== '' && !isJsonList(scopes) ? t('keysFault') : null),
    },
  });

  async function submit(values: ReturnType<typeof form.getValues>) {
    setProblem(null);
    try {
      await onSubmit(settingsFrom(values));
    } catch (error) {
      setProblem(error);
      form.setErrors(fieldErrors(error, Object.keys(values)));
    }
  }

  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="md">
        {first}
        <SettingFields
          settings={settings}
          texts={texts}
          form={form}
          others={{
            scopes: (
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
            ),
            authMethod: (
              <Select
                label={t('authMethod')}
                data={[...methods]}
                allowDeselect={false}
                {...form.getInputProps('authMethod')}
              />
            ),
            keys: needsKeys(form.values.authMethod) && (
              <Textarea
                label={t('keys')}
                description={t('keysHelp')}
                autosize
                minRows={4}
                maxRows={14}
                spellCheck={false}
                {...form.getInputProps('keys')}
              />
            ),
            apiScopes: (
              <Textarea
                label={t('apiScopes')}
                description={t('apiScopesHelp')}
                autosize
                minRows={2}
                maxRows={14}
                spellCheck={false}
                {...form.getInputProps('apiScopes')}
              />
            ),
            exchanges: (
              <Textarea
                label={t('exchanges')}
                description={t('exchangesHelp')}
                autosize
                minRows={2}
                maxRows={14}
                spellCheck={false}
                {...form.getInputProps('exchanges')}
              />
            ),
            accessTokenFormat: (
              <Select
                label={t('accessTokenFormat')}
                description={t('accessTokenFormatHelp')}
                data={[...tokenFormats]}
                allowDeselect={false}
                {...form.getInputProps('accessTokenFormat')}
              />
            ),
            backchannelTokenDeliveryMode: (
              <Select
                label={t('backchannelTokenDeliveryMode')}
                description={t('backchannelTokenDeliveryModeHelp')}
                data={worded(backchannelModes)}
                allowDeselect={false}
                {...form.getInputProps('backchannelTokenDeliveryMode')}
              />
            ),
            applicationType: (
              <Select
                label={t('applicationType')}
                description={t('applicationTypeHelp')}
                data={worded(applicationTypes)}
                allowDeselect={false}
                {...form.getInputProps('applicationType')}
              />
            ),
            idTokenSignedResponseAlg: (
              <Select
                label={t('idTokenSignedResponseAlg')}
                description={t('idTokenSignedResponseAlgHelp')}
                data={[...idTokenAlgorithms]}
                allowDeselect={false}
                {...form.getInputProps('idTokenSignedResponseAlg')}
              />
            ),
            securityProfile: (
              <Select
                label={t('securityProfile')}
                description={t('securityProfileHelp')}
                data={worded(securityProfiles)}
                allowDeselect={false}
                {...form.getInputProps('securityProfile')}
              />
            ),
            authorizationDetailsTypes: (
              <Checkbox.Group
                label={t('authorizationDetailsTypes')}
                {...form.getInputProps('authorizationDetailsTypes')}
              >
                {detailsTypes.map((type) => (
                  <Checkbox key={type} value={type} label={t(type)} mt="xs" />
                ))}
              </Checkbox.Group>
            ),
          }}
        />
        {hasSecret(form.values.authMethod) && ofSecret}
        <FormFoot error={problem} onCancel={onCancel} loading={form.submitting} disabled={!isReady}>
          {action}
        </FormFoot>
      </Stack>
    </form>
  );
}
