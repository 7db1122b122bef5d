import { Button, type ButtonProps, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { Outcome } from '../api/useCommand.ts';
import { ConfirmByTyping } from './ConfirmByTyping.tsx';
import { FourEyesNotice, useTellOutcome } from './FourEyes.tsx';

/** What a comment becomes in the body of a command: nothing, where there is none. */
export function commented(comment: string | undefined): { readonly comment?: string } {
  return comment === undefined ? {} : { comment };
}

/**
 * A button for what is not taken back lightly: a dialog says what will happen and has the name typed; then it is told that
 * it is done, or that it waits for a colleague.
 *
 * @example see console/src/areas/relyingParties/changes.tsx
 */
export function SensitiveButton<Data>({
  verb,
  title = verb,
  name,
  lead,
  command,
  done,
  onDone,
  isReviewed = true,
  children,
  ...look
}: ButtonProps & {
  /** What the button and the dialog's button say. */
  readonly verb: string;
  readonly title?: string;
  /** What has to be typed. */
  readonly name: string;
  /** What will happen. */
  readonly lead: string;
  /** Takes the reason an approving operator reads. */
  readonly command: {
    readonly mutateAsync: (comment: string | undefined) => Promise<Outcome<Data>>;
  };
  /** What is said once it is done. */
  readonly done: string;
  readonly onDone?: (data: Data) => void;
  /** False: no colleague is ever asked. */
  readonly isReviewed?: boolean;
  /** Further fields of the dialog. */
  readonly children?: ReactNode;
}) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const tell = useTellOutcome();

  async function confirm(comment: string | undefined) {
    const outcome = await command.mutateAsync(comment);
    tell(outcome, done);
    if (outcome.kind === 'done') onDone?.(outcome.data);
  }

  return (
    <>
      <Button variant="default" {...look} onClick={open}>
        {verb}
      </Button>
      <ConfirmByTyping
        {...{ opened: isOpen, onClose: close, title, name, action: verb }}
        withComment={isReviewed}
        onConfirm={confirm}
      >
        <Stack gap="sm">
          <span>{lead}</span>
          {isReviewed && <FourEyesNotice />}
          {children}
        </Stack>
      </ConfirmByTyping>
    </>
  );
}
