import { Button, type ButtonProps, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { Outcome } from '../api/useCommand.ts';
import { useWaits } from '../approvals.tsx';
import { ConfirmByTyping } from './ConfirmByTyping.tsx';
import {
  FourEyesNotice,
  type ReviewedCommand,
  useIsReviewed,
  useNotifyOutcome,
} from './FourEyes.tsx';

/** Body of a command: the reason for the approving operator, where given. */
export interface Commented {
  readonly comment?: string;
}

/**
 * Button for a sensitive command: a dialog describes the effects and asks for the record's name;
 * then notifies that it was executed or is pending approval.
 *
 * @example see apps/console/src/areas/relyingParties/changes.tsx
 */
export function SensitiveButton<Data>({
  verb,
  title = verb,
  name,
  lead,
  command,
  done,
  onDone,
  reviewedAs,
  children,
  ...look
}: ButtonProps & {
  /** Label of both buttons. */
  readonly verb: string;
  readonly title?: string;
  /** Text to be typed. */
  readonly name: string;
  /** Description of the effects. */
  readonly lead: string;
  readonly command: { readonly mutateAsync: (body: Commented) => Promise<Outcome<Data>> };
  /** Notification after success. */
  readonly done: string;
  readonly onDone?: (data: Data) => void;
  /** Name by which the policy knows the command; null: it never needs an approval. */
  readonly reviewedAs: ReviewedCommand | null;
  /** Additional fields of the dialog. */
  readonly children?: ReactNode;
}) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const tell = useNotifyOutcome();
  const isReviewed = useIsReviewed(reviewedAs);
  const isWaiting = useWaits();

  async function confirm(comment: string | undefined) {
    const outcome = await command.mutateAsync(comment === undefined ? {} : { comment });
    tell(outcome, done);
    if (outcome.kind === 'done') onDone?.(outcome.data);
  }

  return (
    <>
      <Button
        variant="default"
        {...look}
        aria-haspopup="dialog"
        disabled={isWaiting}
        onClick={open}
      >
        {verb}
      </Button>
      <ConfirmByTyping
        opened={isOpen}
        onClose={close}
        title={title}
        name={name}
        action={verb}
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
