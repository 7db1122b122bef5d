import { Group, Stack, Text } from '@mantine/core';
import { useTexts } from '../shared/texts.ts';
import { appTexts } from './appTexts.ts';
import classes from './Shell.module.css';

/** Logo: a seal's stamp and the name. */
export function Brand() {
  const t = useTexts(appTexts);
  return (
    <Group gap={10} wrap="nowrap">
      <svg width="30" height="30" viewBox="0 0 32 32" aria-hidden>
        <rect x="1.5" y="1.5" width="29" height="29" rx="7" className={classes.mark} />
        <path d="M9 9h14v3.6h-5.1V23h-3.8V12.6H9z" className={classes.letter} />
        <circle cx="23" cy="22" r="2" className={classes.dot} />
      </svg>
      <Stack gap={0}>
        <Text component="span" fw={700} lh={1.1}>
          {t('product')}
        </Text>
        <Text component="span" size="xs" className={classes.tagline} lh={1.2}>
          {t('tagline')}
        </Text>
      </Stack>
    </Group>
  );
}
