import { Text } from '@mantine/core';
import { useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import type { Session } from './facts.tsx';
import classes from './Shown.module.css';
import { interactionWords, texts } from './texts.ts';

/** Texts shown to the citizen. */
export function Shown({
  session: { interactions, interactionTypeUsed },
}: {
  readonly session: Session;
}) {
  const t = useTexts(texts);
  const word = useWords(interactionWords);
  if (interactions.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t('nothingShown')}
      </Text>
    );
  }
  return (
    <ul className={classes.screens}>
      {interactions.map(({ type, text }, index) => (
        <li key={`${type}-${index}`} data-used={type === interactionTypeUsed}>
          <p>{text}</p>
          <small>
            {word(type)}
            {type === interactionTypeUsed && ` · ${t('used')}`}
          </small>
        </li>
      ))}
    </ul>
  );
}
