import { type ButtonProps, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Outcome } from '../api/useCommand.ts';
import { FormFoot } from './FormFoot.tsx';
import { useNotifyOutcome } from './FourEyes.tsx';

/**
 * Form of a dialog that runs one command: it notifies of the outcome and closes the dialog, or shows the refusal.
 *
 * @example see apps/console/src/areas/organizations/changes.tsx
 */
export function CommandForm<Input>({
  command,
  input,
  done,
  onClose,
  verb,
  children,
  ...submit
}: Pick<ButtonProps, 'color' | 'disabled'> & {
  readonly command: {
    readonly error: unknown;
    readonly isPending: boolean;
    readonly mutateAsync: (input: Input) => Promise<Outcome<unknown>>;
  };
  readonly input: Input;
  /** Notification after success. */
  readonly done: string;
  readonly onClose: () => void;
  /** Label of the button. */
  readonly verb: string;
  /** Fields. */
  readonly children: ReactNode;
}) {
  const tell = useNotifyOutcome();
  async function run() {
    tell(await command.mutateAsync(input), done);
    onClose();
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void run().catch(() => undefined);
      }}
    >
      <Stack>
        {children}
        <FormFoot error={command.error} onCancel={onClose} loading={command.isPending} {...submit}>
          {verb}
        </FormFoot>
      </Stack>
    </form>
  );
}
