import { Button, type ButtonProps } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import type { Outcome } from '../api/useCommand.ts';
import { useNotifyOutcome } from './FourEyes.tsx';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';
import { ProblemAlert } from './ProblemAlert.tsx';

/** Notifies of a refusal outside of forms and dialogs; stays until closed. */
export function useNotifyProblem(): (error: unknown) => void {
  const t = useTexts(sharedTexts);
  return (error) =>
    notifications.show({
      autoClose: false,
      closeButtonProps: { 'aria-label': t('close') },
      withBorder: false,
      color: 'red',
      message: <ProblemAlert error={error} />,
    });
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
  const tell = useNotifyOutcome();
  const tellProblem = useNotifyProblem();
  async function act() {
    try {
      tell(await command.mutateAsync(), done);
    } catch (error) {
      tellProblem(error);
    }
  }
  return (
    <Button variant="default" {...props} loading={command.isPending} onClick={() => void act()}>
      {children}
    </Button>
  );
}
