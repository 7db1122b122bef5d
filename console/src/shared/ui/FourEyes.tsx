import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconEye } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type Effect, useEffectWords } from '../approvalWords.ts';
import type { Outcome, PendingApproval } from '../api/useCommand.ts';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';
import { BeforeAfter } from './parts.tsx';

/** Says before a sensitive command that another operator may have to approve it. */
export function FourEyesNotice() {
  const t = useTexts(sharedTexts);
  return (
    <Alert variant="light" color="yellow" icon={<IconEye aria-hidden />} title={t('fourEyesTitle')}>
      {t('fourEyesBefore')}
    </Alert>
  );
}

/** What a command changes, in words. */
export function Effects({ effects }: { readonly effects: readonly Effect[] }) {
  const words = useEffectWords();
  return <BeforeAfter changes={words(effects)} />;
}

/** Shows that a command waits for approval, and what it will change. */
export function PendingNotice({ approval }: { readonly approval: PendingApproval }) {
  const t = useTexts(sharedTexts);
  return (
    <Alert color="yellow" icon={<IconEye aria-hidden />} title={t('pendingTitle')} role="status">
      <Stack gap="xs">
        <Text size="sm">{t('pendingDetail')}</Text>
        <Effects effects={approval.effects} />
        <Anchor component={Link} to={`/approvals/${approval.id}`} size="sm">
          {t('openApproval')}
        </Anchor>
      </Stack>
    </Alert>
  );
}

/** Tells what became of a command: that it is done, or that it waits for another operator. */
export function useTellOutcome() {
  const t = useTexts(sharedTexts);
  const closeButtonProps = { 'aria-label': t('close') };
  return <Data,>(outcome: Outcome<Data>, done: string): void => {
    if (outcome.kind === 'done') {
      notifications.show({ closeButtonProps, color: 'green', message: done });
      return;
    }
    notifications.show({
      closeButtonProps,
      color: 'yellow',
      title: t('pendingTitle'),
      autoClose: 12_000,
      message: (
        <Anchor component={Link} to={`/approvals/${outcome.approval.id}`} size="sm">
          {t('openApproval')}
        </Anchor>
      ),
    });
  };
}
