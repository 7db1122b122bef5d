import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { Outcome } from '../api/useCommand.ts';
import { useTellOutcome } from './FourEyes.tsx';

/** What a form needs to be shown in the dialog of an {@link EditButton}. */
export interface EditForm<Settings> {
  readonly onCancel: () => void;
  /** Closes the dialog once it is done; rejects with what the service objects to. */
  readonly onSubmit: (settings: Settings) => Promise<void>;
}

/** A button that opens a form in a dialog, filled anew each time, and tells when it is saved. */
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
  /** What is said once it is done. */
  readonly done: string;
  readonly form: (props: EditForm<Settings>) => ReactNode;
}) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const tell = useTellOutcome();

  async function save(settings: Settings) {
    tell(await command.mutateAsync(settings), done);
    close();
  }

  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        {verb}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title} size="lg">
        {isOpen && form({ onCancel: close, onSubmit: save })}
      </Modal>
    </>
  );
}
