import { Button } from '@mantine/core';
import { IconPlayerStop, IconVolume } from '@tabler/icons-react';
import { useTexts } from '../../shared/texts.ts';
import { chatTexts } from './texts.ts';

/** Starts or stops reading an answer aloud. */
export function ListenButton({
  isSpeaking,
  onSpeak,
  onStop,
}: {
  readonly isSpeaking: boolean;
  readonly onSpeak: () => void;
  readonly onStop: () => void;
}) {
  const t = useTexts(chatTexts);
  const Icon = isSpeaking ? IconPlayerStop : IconVolume;
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        mt={4}
        leftSection={<Icon size={16} aria-hidden />}
        onClick={isSpeaking ? onStop : onSpeak}
      >
        {t(isSpeaking ? 'hush' : 'listen')}
      </Button>
    </div>
  );
}
