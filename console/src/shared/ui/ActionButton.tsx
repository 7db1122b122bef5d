import { Button, type ButtonProps } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import type { Outcome } from '../api/useCommand.ts';
import { useTellOutcome } from './FourEyes.tsx';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';
import { ProblemAlert } from './ProblemAlert.tsx';

/** Shows a refusal where no form or dialog is open to show it in; stays until it is closed. */
export function useTellProblem(): (error: unknown) => void {
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

/** A button that gives a command at once: for what can be taken back as easily. */
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
  /** What is said once it is done. */
  readonly done: string;
  readonly children: ReactNode;
}) {
  const tell = useTellOutcome();
  const tellProblem = useTellProblem();
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
