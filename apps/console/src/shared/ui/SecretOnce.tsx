import { Alert, Anchor, Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { IconDownload, IconKey } from '@tabler/icons-react';
import { useAccount } from '../account.ts';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';
import { saveFile } from './DownloadButton.tsx';
import { Copy } from './Copy.tsx';

/**
 * Shows a secret once, to copy or to download as a `.env` file. Closes only by its own button.
 *
 * @param variables content of the file, in order; the secret is one of them
 */
export function SecretOnce({
  secret,
  variables,
  fileName,
  onClose,
}: {
  /** Null: nothing to show. */
  readonly secret: string | null;
  readonly variables: Readonly<Record<string, string>>;
  readonly fileName: string;
  readonly onClose: () => void;
}) {
  const t = useTexts(sharedTexts);
  const { relyingPartyApi } = useAccount();
  const file = Object.entries(variables)
    .map(([name, value]) => `${name}='${value.replaceAll("'", `'\\''`)}'\n`)
    .join('');
  return (
    <Modal
      opened={secret !== null}
      onClose={onClose}
      title={t('secretTitle')}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      centered
      size="lg"
    >
      <Stack>
        <Alert color="yellow" icon={<IconKey aria-hidden />}>
          <Text size="sm">{t('secretWarning')}</Text>
        </Alert>
        <Group gap="xs" wrap="nowrap">
          <Code block flex={1} data-testid="secret">
            {secret}
          </Code>
          <Copy value={secret ?? ''} about={t('secretTitle')} />
        </Group>
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <Code
            block
            flex={1}
            style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
            data-testid="variables"
          >
            {file.trimEnd()}
          </Code>
          <Copy value={file} about={t('variables')} />
        </Group>
        <Anchor
          size="sm"
          href={`${relyingPartyApi}/docs/first-login`}
          target="_blank"
          rel="noreferrer"
        >
          {t('howToStart')}
        </Anchor>
        <Group justify="flex-end" gap="xs">
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => saveFile(new Blob([file], { type: 'text/plain' }), fileName)}
          >
            {t('downloadEnv')}
          </Button>
          <Button onClick={onClose} data-autofocus>
            {t('secretKept')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
