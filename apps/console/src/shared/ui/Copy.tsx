import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';

/** Button that copies a value. @param about accessible name of the value */
export function Copy({ value, about }: { readonly value: string; readonly about: string }) {
  const t = useTexts(sharedTexts);
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={t(copied ? 'copied' : 'copy')}>
          <ActionIcon
            variant="subtle"
            color={copied ? 'green' : 'gray'}
            size="sm"
            onClick={copy}
            aria-label={`${t(copied ? 'copied' : 'copy')}: ${about}`}
          >
            {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
