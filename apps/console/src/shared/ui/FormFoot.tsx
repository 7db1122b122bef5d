import { Button, type ButtonProps, Group } from '@mantine/core';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';
import { ProblemAlert } from './ProblemAlert.tsx';

/** End of a form: its refusal, the button to cancel and the one to submit, labelled by the children. */
export function FormFoot({
  error,
  onCancel,
  ...submit
}: ButtonProps & {
  /** Null: none. */
  readonly error: unknown;
  readonly onCancel: () => void;
}) {
  const t = useTexts(sharedTexts);
  return (
    <>
      {error !== null && <ProblemAlert error={error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onCancel}>
          {t('cancel')}
        </Button>
        <Button type="submit" {...submit} />
      </Group>
    </>
  );
}
