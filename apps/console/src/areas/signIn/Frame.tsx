import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Brand } from '../../app/Brand.tsx';
import { LanguageSwitch, ThemeSwitch } from '../../app/Preferences.tsx';
import { useWindowTitle } from '../../shared/product.ts';
import { useTexts } from '../../shared/texts.ts';
import classes from './Frame.module.css';
import { texts } from './texts.ts';

/** Frame of the sign-in pages. */
export function Frame({
  title,
  lead,
  isWide = false,
  children,
}: {
  readonly title: string;
  readonly lead: string;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}) {
  const t = useTexts(texts);
  useWindowTitle(title);
  return (
    <div className={classes.page}>
      <header className={classes.header}>
        <Brand />
        <Group gap={4} className={classes.preferences}>
          <LanguageSwitch />
          <ThemeSwitch />
        </Group>
      </header>
      <main className={classes.main}>
        <Paper className={classes.card} data-wide={isWide || undefined}>
          <Stack gap="md">
            <div>
              <Title order={1} size="h2">
                {title}
              </Title>
              <Text c="dimmed" size="sm">
                {lead}
              </Text>
            </div>
            {children}
          </Stack>
        </Paper>
        <Text size="xs" className={classes.note}>
          {t('privacy')}
        </Text>
      </main>
    </div>
  );
}
