import { Alert, Anchor, Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { IconDownload, IconKey, IconLink } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useAccount } from '../account.ts';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';
import { Copy } from './Copy.tsx';
import { saveFile } from './DownloadButton.tsx';
import { useFormats } from './parts.tsx';

/** A link that hands a secret over, as the API answers it. */
export interface HandOver {
  readonly handOverPath: string;
  readonly until: string;
}

/** Dialog of what is shown once. Closes only by its own button. */
function ShownOnce({
  isOpen,
  title,
  icon,
  warning,
  close,
  onClose,
  actions,
  children,
}: {
  readonly isOpen: boolean;
  readonly title: string;
  readonly icon: ReactNode;
  readonly warning: string;
  /** Words of the button that closes. */
  readonly close: string;
  readonly onClose: () => void;
  /** Buttons before it. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      centered
      size="lg"
    >
      <Stack>
        <Alert color="yellow" icon={icon}>
          <Text size="sm">{warning}</Text>
        </Alert>
        {children}
        <Group justify="flex-end" gap="xs">
          {actions}
          <Button onClick={onClose} data-autofocus>
            {close}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** A text to copy. @param about what it is, for the button */
function Copied({
  text,
  shown = text,
  about,
  testId,
}: {
  readonly text: string;
  readonly shown?: string;
  readonly about: string;
  readonly testId: string;
}) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Code
        block
        flex={1}
        style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
        data-testid={testId}
      >
        {shown}
      </Code>
      <Copy value={text} about={about} />
    </Group>
  );
}

/**
 * Shows a secret once, to copy or to download as a `.env` file.
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
  const download = (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      onClick={() => saveFile(new Blob([file], { type: 'text/plain' }), fileName)}
    >
      {t('downloadEnv')}
    </Button>
  );
  return (
    <ShownOnce
      isOpen={secret !== null}
      title={t('secretTitle')}
      icon={<IconKey aria-hidden />}
      warning={t('secretWarning')}
      close={t('secretKept')}
      onClose={onClose}
      actions={download}
    >
      <Copied text={secret ?? ''} about={t('secretTitle')} testId="secret" />
      <Copied text={file} shown={file.trimEnd()} about={t('variables')} testId="variables" />
      <Anchor
        size="sm"
        href={`${relyingPartyApi}/docs/first-login`}
        target="_blank"
        rel="noreferrer"
      >
        {t('howToStart')}
      </Anchor>
    </ShownOnce>
  );
}

/** Shows a link once, to copy. */
export function LinkOnce({
  link,
  onClose,
}: {
  /** Null: nothing to show. */
  readonly link: HandOver | null;
  readonly onClose: () => void;
}) {
  const t = useTexts(sharedTexts);
  const { time } = useFormats();
  const { openIdIssuer } = useAccount();
  const address = link === null ? '' : new URL(link.handOverPath, openIdIssuer).href;
  return (
    <ShownOnce
      isOpen={link !== null}
      title={t('linkTitle')}
      icon={<IconLink aria-hidden />}
      warning={t('linkWarning', { until: link === null ? '' : time(link.until) })}
      close={t('linkSent')}
      onClose={onClose}
    >
      <Copied text={address} about={t('linkTitle')} testId="link" />
    </ShownOnce>
  );
}
