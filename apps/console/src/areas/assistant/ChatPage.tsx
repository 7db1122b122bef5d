import { Alert, Button, Group, Text, Textarea, VisuallyHidden } from '@mantine/core';
import { IconPlayerStop, IconSend } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useLanguage, useTexts } from '../../shared/texts.ts';
import { PageHeader } from '../../shared/ui/parts.tsx';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import classes from './assistant.module.css';
import { ListenButton } from './ListenButton.tsx';
import { TalkButton } from './TalkButton.tsx';
import { chatTexts } from './texts.ts';
import { type Question as Asked, type Turn, useChat } from './useChat.ts';
import { canRecord, useRecorder } from './useRecorder.ts';
import { type AnswerSpeaker, useSpeaker } from './useSpeaker.ts';

const longestQuestion = 4000;

export default function ChatPage() {
  const t = useTexts(chatTexts);
  const language = useLanguage();
  const { turns, isAnswering, problem, ask, stop, clear } = useChat(language);
  const speaker = useSpeaker(language);
  const askInSilence = (question: Asked) => {
    speaker.stop();
    return ask(question);
  };
  return (
    <>
      <PageHeader
        title={t('nav')}
        lead={t('lead')}
        actions={
          turns.length > 0 && (
            <Button
              variant="default"
              onClick={() => {
                speaker.stop();
                clear();
              }}
            >
              {t('clear')}
            </Button>
          )
        }
      />
      <div className={classes.chat}>
        {turns.length === 0 ? (
          <Examples onAsk={askInSilence} />
        ) : (
          <Turns turns={turns} speaker={speaker} />
        )}
        {problem !== null && <ProblemAlert error={problem} />}
        <Question isAnswering={isAnswering} speaker={speaker} onAsk={askInSilence} onStop={stop} />
        <Text size="xs" c="dimmed">
          {t('caution')}
        </Text>
      </div>
    </>
  );
}

function Examples({ onAsk }: { readonly onAsk: (question: Asked) => Promise<void> }) {
  const t = useTexts(chatTexts);
  return (
    <section aria-label={t('start')}>
      <Text fw={600} mb="sm">
        {t('start')}
      </Text>
      <Group gap="xs">
        {(['example1', 'example2', 'example3'] as const).map((key) => (
          <Button
            key={key}
            variant="light"
            size="xs"
            h="auto"
            py={8}
            styles={{ label: { whiteSpace: 'normal', textAlign: 'start' } }}
            onClick={() => void onAsk({ message: t(key) })}
          >
            {t(key)}
          </Button>
        ))}
      </Group>
    </section>
  );
}

function Turns({
  turns,
  speaker,
}: {
  readonly turns: readonly Turn[];
  readonly speaker: AnswerSpeaker;
}) {
  const t = useTexts(chatTexts);
  const end = useRef<HTMLLIElement>(null);
  const written = turns.at(-1)?.text.length;
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' });
  }, [turns.length, written]);
  return (
    // Screen readers announce an answer once complete, not word by word.
    <div role="log" aria-label={t('conversation')}>
      <ol className={classes.turns}>
        {turns.map((turn, index) => (
          <li
            // Stable key: turns are only appended.
            key={index}
            ref={index === turns.length - 1 ? end : undefined}
            className={`${classes.turn ?? ''} ${classes[turn.role] ?? ''}`}
            aria-busy={turn.state === 'writing'}
          >
            <VisuallyHidden>{t(turn.role === 'user' ? 'you' : 'assistant')}: </VisuallyHidden>
            {turn.role === 'user' && turn.text === '' ? <i>{t('spoken')}</i> : turn.text}
            <TurnState turn={turn} />
            {turn.role === 'model' && turn.state === 'whole' && (
              <ListenButton
                isSpeaking={speaker.speaking === index}
                onSpeak={() => speaker.speak(index, turn.text)}
                onStop={speaker.stop}
              />
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

function TurnState({ turn: { state, text } }: { readonly turn: Turn }) {
  const t = useTexts(chatTexts);
  switch (state) {
    case 'writing':
      return text === '' ? (
        <Text size="sm" c="dimmed" component="span">
          <span className={classes.dots} aria-hidden>
            <span />
            <span />
            <span />
          </span>
          {t('thinking')}
        </Text>
      ) : null;
    case 'stopped':
      return (
        <Text size="xs" c="dimmed" mt={4}>
          {t('stopped')}
        </Text>
      );
    case 'degraded':
      return (
        <Alert color="yellow" mt="xs" p="xs">
          {t('degraded')}
        </Alert>
      );
    case 'unheard':
      return (
        <Text size="sm" c="dimmed" component="span">
          {t('unheard')}
        </Text>
      );
    case 'whole':
      return null;
  }
}

function Question({
  isAnswering,
  speaker: { isSilent, stop: stopSpeaking },
  onAsk,
  onStop,
}: {
  readonly isAnswering: boolean;
  readonly speaker: AnswerSpeaker;
  readonly onAsk: (question: Asked) => Promise<void>;
  readonly onStop: () => void;
}) {
  const t = useTexts(chatTexts);
  const [text, setText] = useState('');
  const recorder = useRecorder((audio) => void onAsk({ audio }));
  const isRecording = recorder.state === 'recording';
  // Stops playback: the microphone would record it.
  useEffect(() => {
    if (isRecording) stopSpeaking();
  }, [isRecording, stopSpeaking]);
  const send = () => {
    const question = text.trim();
    if (question === '' || isAnswering) return;
    setText('');
    void onAsk({ message: question });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter also confirms an input method's composition.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Textarea
        label={t('question')}
        placeholder={t('placeholder')}
        value={text}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={longestQuestion}
        onKeyDown={onKeyDown}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Group justify="flex-end" mt="sm">
        <Text size="sm" c="dimmed" role="status" className={classes.grow}>
          {recorder.state !== 'idle' ? t(recorder.state) : isSilent && t('silent')}
        </Text>
        {canRecord() && <TalkButton recorder={recorder} isDisabled={isAnswering} />}
        {isAnswering ? (
          <Button
            variant="default"
            leftSection={<IconPlayerStop size={16} aria-hidden />}
            onClick={onStop}
          >
            {t('stop')}
          </Button>
        ) : (
          <Button type="submit" leftSection={<IconSend size={16} aria-hidden />}>
            {t('send')}
          </Button>
        )}
      </Group>
    </form>
  );
}
