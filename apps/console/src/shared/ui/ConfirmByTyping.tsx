import { Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ApiProblem } from '../api/problem.ts';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';
import { FormFoot } from './FormFoot.tsx';

export interface ConfirmByTypingProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** Description of the effects. */
  readonly children: ReactNode;
  /** Text to be typed: the name of the record. */
  readonly name: string;
  /** Label of the button; the same verb as the title. */
  readonly action: string;
  /** Adds a field for the reason, read by the approving operator. */
  readonly withComment?: boolean;
  /** Resolves when the command succeeded. The dialog closes itself, or shows the refusal. */
  readonly onConfirm: (comment: string | undefined) => Promise<unknown>;
}

/**
 * Confirmation of an irreversible command: the record's name must be typed.
 *
 * @example see apps/console/src/areas/relyingParties/DetailPage.tsx
 */
export function ConfirmByTyping(props: ConfirmByTypingProps) {
  const { opened, onClose, title } = props;
  return (
    <Modal opened={opened} onClose={onClose} title={title} centered>
      {opened && <Question {...props} />}
    </Modal>
  );
}

function Question({
  onClose,
  children,
  name,
  action,
  withComment = false,
  onConfirm,
}: ConfirmByTypingProps) {
  const t = useTexts(sharedTexts);
  const [typed, setTyped] = useState('');
  const [comment, setComment] = useState('');
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [isUnderWay, setUnderWay] = useState(false);

  async function confirm() {
    setUnderWay(true);
    setProblem(null);
    try {
      await onConfirm(comment.trim() === '' ? undefined : comment.trim());
      onClose();
    } catch (error) {
      setProblem(error as ApiProblem);
      setUnderWay(false);
    }
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.trim() === name && !isUnderWay) void confirm();
      }}
    >
      <Stack gap="md">
        <Text component="div" size="sm">
          {children}
        </Text>
        {withComment && (
          <Textarea
            label={t('reasonForColleague')}
            value={comment}
            maxLength={500}
            autosize
            minRows={2}
            onChange={({ currentTarget }) => setComment(currentTarget.value)}
          />
        )}
        <TextInput
          label={t('typeToConfirm', { name })}
          value={typed}
          data-autofocus
          autoComplete="off"
          spellCheck={false}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <FormFoot
          error={problem}
          onCancel={onClose}
          color="red"
          disabled={typed.trim() !== name}
          loading={isUnderWay}
        >
          {action}
        </FormFoot>
      </Stack>
    </form>
  );
}
