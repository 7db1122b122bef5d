import { Alert, Anchor } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconEye } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type Account, useAccount } from '../account.ts';
import type { Outcome } from '../api/useCommand.ts';
import { type Effect, effectIn } from '../../../../../api/pages/words/effectWords.ts';
import { useTellingApart } from '../names.tsx';
import { sharedTexts } from '../sharedTexts.ts';
import { textsIn, useLanguage, useTexts } from '../texts.ts';
import { BeforeAfter } from './parts.tsx';

export type ReviewedCommand = Account['reviewedCommands'][number];

/** Tells whether another operator approves a command here, whoever asks for it. */
export function useIsReviewed(command: ReviewedCommand | null): boolean {
  const { reviewedCommands } = useAccount();
  return command !== null && reviewedCommands.includes(command);
}

/** Notice before a command that another operator approves. @param isCertain false where it depends on what is chosen */
export function FourEyesNotice({ isCertain = true }: { readonly isCertain?: boolean }) {
  const t = useTexts(sharedTexts);
  return (
    <Alert variant="light" color="yellow" icon={<IconEye aria-hidden />} title={t('fourEyesTitle')}>
      {t(isCertain ? 'fourEyesBefore' : 'fourEyesPerhaps')}
    </Alert>
  );
}

/** Effects of a command. */
export function Effects({ effects }: { readonly effects: readonly Effect[] }) {
  const say = textsIn(useLanguage());
  const readable = useTellingApart();
  const changes = effects
    .map((effect) => effectIn(say, effect))
    .map(({ target, before, after }) => ({
      target: readable(target),
      before: readable(before),
      after: readable(after),
    }));
  return <BeforeAfter changes={changes} />;
}

/** Notifies of the result of a command: executed, or pending approval. */
export function useNotifyOutcome() {
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
      // Stays until closed: its link must not run away from a slow reader (WCAG 2.2.1).
      autoClose: false,
      message: (
        <Anchor component={Link} to={`/approvals/${outcome.approval.id}`} size="sm">
          {t('openApproval')}
        </Anchor>
      ),
    });
  };
}
