import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { Outcome } from '../api/useCommand.ts';
import { useWaits } from '../approvals.tsx';
import { useNotifyOutcome } from './FourEyes.tsx';

/** Properties of a form in the dialog of an {@link EditButton}. */
export interface EditForm<Settings> {
  readonly onCancel: () => void;
  /** Resolves when saved, which closes the dialog; rejects with the service's refusal. */
  readonly onSubmit: (settings: Settings) => Promise<void>;
}

/** Button that opens a form in a dialog, with fresh values each time. */
export function EditButton<Settings>({
  verb,
  title,
  command,
  done,
  form,
}: {
  readonly verb: string;
  readonly title: string;
  readonly command: {
    readonly mutateAsync: (settings: Settings) => Promise<Outcome<unknown>>;
  };
  /** Notification after success. */
  readonly done: string;
  readonly form: (props: EditForm<Settings>) => ReactNode;
}) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const tell = useNotifyOutcome();
  const isWaiting = useWaits();

  async function save(settings: Settings) {
    tell(await command.mutateAsync(settings), done);
    close();
  }

  return (
    <>
      <Button
        size="xs"
        variant="default"
        aria-haspopup="dialog"
        disabled={isWaiting}
        onClick={open}
      >
        {verb}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title} size="lg">
        {isOpen && form({ onCancel: close, onSubmit: save })}
      </Modal>
    </>
  );
}
