import {
  Checkbox,
  NumberInput,
  SimpleGrid,
  Stack,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { fieldErrors } from '../../shared/api/fieldErrors.ts';
import type { AnswerOf } from '../../shared/api/useRead.ts';
import { useTexts } from '../../shared/texts.ts';
import { FormFoot } from '../../shared/ui/FormFoot.tsx';
import { texts } from './texts.ts';

export type Party = AnswerOf<'/v3/admin/relying-parties/{id}'>;
export type Permission = Party['permissions'][number];

/** Settings as in the API. */
export type Settings = Pick<
  Party,
  | 'relyingPartyName'
  | 'callbackHosts'
  | 'ipAllowlist'
  | 'clientCertificates'
  | 'permissions'
  | 'firstParty'
  | 'requestsPerMinute'
  | 'smartIdStatuses'
>;

const allPermissions: readonly Permission[] = [
  ...(['AUTH', 'SIGN', 'SEAL', 'ORG_LINK_WRITE', 'PKI_READ'] as const),
];

const lists = ['callbackHosts', 'ipAllowlist', 'clientCertificates'] as const;

function textOf(entries: readonly string[]): string {
  return entries.join('\n');
}

function entriesIn(text: string): string[] {
  return text
    .split(/[\s,;]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

const newParty: Settings = {
  relyingPartyName: '',
  callbackHosts: [],
  ipAllowlist: [],
  clientCertificates: [],
  permissions: ['AUTH', 'SIGN'],
  firstParty: false,
  requestsPerMinute: null,
  smartIdStatuses: false,
};

/**
 * Settings of a relying party, to register or to edit. Faults found by the service are shown at
 * their fields.
 */
export function SettingsForm({
  initial = newParty,
  action,
  onSubmit,
  onCancel,
}: {
  readonly initial?: Settings;
  /** Label of the button. */
  readonly action: string;
  /** Rejects with the service's refusal. */
  readonly onSubmit: (settings: Settings) => Promise<unknown>;
  readonly onCancel: () => void;
}) {
  const t = useTexts(texts);
  const [problem, setProblem] = useState<unknown>(null);
  const form = useForm({
    initialValues: {
      ...initial,
      callbackHosts: textOf(initial.callbackHosts),
      ipAllowlist: textOf(initial.ipAllowlist),
      clientCertificates: textOf(initial.clientCertificates),
      requestsPerMinute: initial.requestsPerMinute ?? '',
    },
  });

  async function submit(values: ReturnType<typeof form.getValues>) {
    setProblem(null);
    try {
      await onSubmit({
        ...values,
        relyingPartyName: values.relyingPartyName.trim(),
        callbackHosts: entriesIn(values.callbackHosts),
        ipAllowlist: entriesIn(values.ipAllowlist),
        clientCertificates: entriesIn(values.clientCertificates),
        requestsPerMinute:
          values.requestsPerMinute === '' ? null : Number(values.requestsPerMinute),
      });
    } catch (error) {
      setProblem(error);
      form.setErrors(fieldErrors(error, Object.keys(values)));
    }
  }

  const bytes = new TextEncoder().encode(form.values.relyingPartyName.trim()).length;
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="md">
        <TextInput
          label={t('name')}
          description={t('nameHelp', { bytes })}
          required
          data-autofocus
          autoComplete="off"
          {...form.getInputProps('relyingPartyName')}
        />
        <Checkbox.Group label={t('permissions')} {...form.getInputProps('permissions')}>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt="xs">
            {allPermissions.map((permission) => (
              <Checkbox
                key={permission}
                value={permission}
                label={permission}
                description={t(permission)}
              />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
        {lists.map((name) => (
          <Textarea
            key={name}
            label={t(name)}
            description={t(`${name}Help`)}
            autosize
            minRows={2}
            maxRows={8}
            spellCheck={false}
            {...form.getInputProps(name)}
          />
        ))}
        <NumberInput
          label={t('requestsPerMinute')}
          description={t('requestsPerMinuteHelp')}
          min={1}
          max={1_000_000_000}
          allowDecimal={false}
          hideControls
          {...form.getInputProps('requestsPerMinute')}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
          {(['firstParty', 'smartIdStatuses'] as const).map((name) => (
            <Switch
              key={name}
              label={t(name)}
              description={t(`${name}Help`)}
              {...form.getInputProps(name, { type: 'checkbox' })}
            />
          ))}
        </SimpleGrid>
        <FormFoot error={problem} onCancel={onCancel} loading={form.submitting}>
          {action}
        </FormFoot>
      </Stack>
    </form>
  );
}
