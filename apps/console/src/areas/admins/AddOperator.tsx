import { ActionIcon, Group, Modal, Stack, TextInput, Tooltip } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconRefresh } from '@tabler/icons-react';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { SettingFields } from '../../shared/settings/SettingFields.tsx';
import { fieldsOf, initialOf, valuesOf } from '../../shared/settings/settings.ts';
import { useTexts } from '../../shared/texts.ts';
import { FormFoot } from '../../shared/ui/FormFoot.tsx';
import { useNotifyOutcome } from '../../shared/ui/FourEyes.tsx';
import { Copy } from '../../shared/ui/Copy.tsx';
import { SHORTEST } from '../../shared/ui/PasswordForm.tsx';
import { RoleChoice } from './changes.tsx';
import { settings } from './settings.ts';
import { texts } from './texts.ts';

interface AddOperatorProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Adds an operator with an initial password, which must be changed at the first sign-in. */
export function AddOperator({ opened, onClose }: AddOperatorProps) {
  const t = useTexts(texts);
  return (
    <Modal opened={opened} onClose={onClose} title={t('add')} centered>
      {opened && <Form onClose={onClose} />}
    </Modal>
  );
}

/** Alphabet without letters that look alike. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 16;

/** Random password of sixteen letters: 93 bits. */
function newPassword(): string {
  const fair = 256 - (256 % LETTERS.length);
  let password = '';
  while (password.length < LENGTH) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1));
    if (byte < fair) password += LETTERS.charAt(byte % LETTERS.length);
  }
  return password;
}

function Form({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts(texts);
  const tell = useNotifyOutcome();
  const form = useForm({
    initialValues: { ...fieldsOf(settings, initialOf(settings)), password: newPassword() },
    validate: {
      email: (email) => (/^\S+@\S+\.\S+$/.test(email.trim()) ? null : t('emailWrong')),
      password: (password) => (password.length >= SHORTEST ? null : t('tooShort')),
    },
  });
  const add = useCommand({
    run: ({ password, ...fields }: typeof form.values) =>
      api.POST('/v3/admin/admins', {
        body: { ...valuesOf(settings, fields), password, mustChangePassword: true },
      }),
    touches: ['/v3/admin/admins'],
  });
  return (
    <form
      noValidate
      onSubmit={form.onSubmit((values) =>
        add.mutate(values, {
          onSuccess: (outcome) => {
            tell(outcome, t('added', { email: values.email }));
            onClose();
          },
        }),
      )}
    >
      <Stack>
        <SettingFields
          settings={settings}
          texts={texts}
          form={form}
          others={{
            email: (
              <TextInput
                label={t('email')}
                type="email"
                autoComplete="off"
                data-autofocus
                {...form.getInputProps('email')}
              />
            ),
            role: (
              <RoleChoice
                label={t('role')}
                value={form.values.role}
                onChange={(role) => form.setFieldValue('role', role)}
              />
            ),
          }}
        />
        <Group gap={4} align="flex-end" wrap="nowrap">
          <TextInput
            label={t('password')}
            description={t('passwordHint')}
            autoComplete="off"
            spellCheck={false}
            flex={1}
            {...form.getInputProps('password')}
          />
          <Copy value={form.values.password} about={t('password')} />
          <Tooltip label={t('another')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={t('another')}
              onClick={() => form.setFieldValue('password', newPassword())}
            >
              <IconRefresh size={14} />
            </ActionIcon>
          </Tooltip>
        </Group>
        <FormFoot error={add.error} onCancel={onClose} loading={add.isPending}>
          {t('add')}
        </FormFoot>
      </Stack>
    </form>
  );
}
