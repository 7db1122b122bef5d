import { Button, type ButtonProps } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import type { Outcome } from '../api/useCommand.ts';
import { useNotifyOutcome } from './FourEyes.tsx';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';
import { ProblemAlert } from './ProblemAlert.tsx';

/**
 * Awaits a command outside of forms and dialogs and notifies of its outcome, or of its refusal, which stays until closed.
 * Resolves to whether it succeeded.
 */
export function useAct(): (acting: Promise<Outcome<unknown>>, done: string) => Promise<boolean> {
  const t = useTexts(sharedTexts);
  const tell = useNotifyOutcome();
  return async (acting, done) => {
    try {
      tell(await acting, done);
      return true;
    } catch (error) {
      notifications.show({
        autoClose: false,
        closeButtonProps: { 'aria-label': t('close') },
        withBorder: false,
        color: 'red',
        message: <ProblemAlert error={error} />,
      });
      return false;
    }
  };
}

/** Button that runs a command without confirmation, for changes that are easily reverted. */
export function ActionButton<Data>({
  command,
  done,
  children,
  ...props
}: ButtonProps & {
  readonly command: {
    readonly isPending: boolean;
    readonly mutateAsync: () => Promise<Outcome<Data>>;
  };
  /** Notification after success. */
  readonly done: string;
  readonly children: ReactNode;
}) {
  const act = useAct();
  return (
    <Button
      variant="default"
      {...props}
      loading={command.isPending}
      onClick={() => void act(command.mutateAsync(), done)}
    >
      {children}
    </Button>
  );
}
