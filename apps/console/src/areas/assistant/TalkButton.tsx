import { Button } from '@mantine/core';
import { IconMicrophone } from '@tabler/icons-react';
import type { KeyboardEvent, MouseEvent } from 'react';
import { useTexts } from '../../shared/texts.ts';
import { chatTexts } from './texts.ts';
import type { Recorder } from './useRecorder.ts';

/** Records while held; by keyboard or screen reader, between two presses. */
export function TalkButton({
  recorder: { state, begin, end },
  isDisabled,
}: {
  readonly recorder: Recorder;
  readonly isDisabled: boolean;
}) {
  const t = useTexts(chatTexts);
  const isRecording = state === 'recording';
  const toggle = isRecording ? end : begin;
  return (
    <Button
      variant={isRecording ? 'filled' : 'default'}
      disabled={isDisabled}
      {...(isRecording ? { color: 'red.8' } : {})}
      leftSection={<IconMicrophone size={16} aria-hidden />}
      aria-pressed={isRecording}
      onPointerDown={begin}
      onPointerUp={end}
      onPointerCancel={end}
      onPointerLeave={end}
      onKeyDown={(event: KeyboardEvent) => {
        if ((event.key !== ' ' && event.key !== 'Enter') || event.repeat) return;
        event.preventDefault();
        toggle();
      }}
      onClick={({ detail }: MouseEvent) => {
        // Activation by a screen reader has neither a pointer nor a key event.
        if (detail === 0) toggle();
      }}
    >
      {t('talk')}
    </Button>
  );
}
