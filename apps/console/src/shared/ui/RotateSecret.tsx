import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { IconLink } from '@tabler/icons-react';
import { useState } from 'react';
import { useAccount } from '../account.ts';
import type { Outcome } from '../api/useCommand.ts';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';
import { Copy } from './Copy.tsx';
import { useFormats } from './parts.tsx';
import { SecretOnce } from './SecretOnce.tsx';
import { type Commented, SensitiveButton } from './SensitiveButton.tsx';

/** A link that hands a secret over, as the API answers it. */
export interface HandOver {
  readonly handOverPath: string;
  readonly until: string;
}

interface Command<Data> {
  readonly mutateAsync: (body: Commented) => Promise<Outcome<Data>>;
}

/** Issues a new secret that replaces the current one: shown once, or handed over by a link. */
export function RotateSecret<Data>({
  id,
  name,
  command,
  handOver,
  secretOf,
  environment,
}: {
  /** Of the record, for the name of the file. */
  readonly id: string;
  readonly name: string;
  readonly command: Command<Data>;
  readonly handOver: Command<HandOver>;
  readonly secretOf: (issued: Data) => string | null;
  /** Environment variables of a program with this secret. */
  readonly environment: (secret: string) => Readonly<Record<string, string>>;
}) {
  const t = useTexts(sharedTexts);
  const [secret, setSecret] = useState<string | null>(null);
  const [link, setLink] = useState<HandOver | null>(null);
  return (
    <>
      <SensitiveButton
        verb={t('handOver')}
        name={name}
        lead={t('handOverLead')}
        command={handOver}
        done={t('handedOver')}
        onDone={setLink}
      />
      <SensitiveButton
        verb={t('rotate')}
        name={name}
        lead={t('rotateLead')}
        command={command}
        done={t('rotated')}
        onDone={(issued) => setSecret(secretOf(issued))}
      />
      <SecretOnce
        secret={secret}
        variables={environment(secret ?? '')}
        fileName={`${id}.env`}
        onClose={() => setSecret(null)}
      />
      <LinkOnce link={link} onClose={() => setLink(null)} />
    </>
  );
}

/** Shows a link once, to copy. Closes only by its own button. */
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
    <Modal
      opened={link !== null}
      onClose={onClose}
      title={t('linkTitle')}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      centered
      size="lg"
    >
      <Stack>
        <Alert color="yellow" icon={<IconLink aria-hidden />}>
          <Text size="sm">
            {t('linkWarning', { until: link === null ? '' : time(link.until) })}
          </Text>
        </Alert>
        <Group gap="xs" wrap="nowrap">
          <Code
            block
            flex={1}
            style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
            data-testid="link"
          >
            {address}
          </Code>
          <Copy value={address} about={t('linkTitle')} />
        </Group>
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {t('linkSent')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
