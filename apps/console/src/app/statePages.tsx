import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { type Icon, IconLock, IconMapOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { sharedTexts } from '../shared/sharedTexts.ts';
import { useWindowTitle } from '../shared/product.ts';
import { useTexts } from '../shared/texts.ts';
import { ProblemAlert } from '../shared/ui/ProblemAlert.tsx';

function StatePage({
  icon: Picture,
  title,
  children,
}: {
  readonly icon: Icon;
  readonly title: string;
  readonly children: ReactNode;
}) {
  const t = useTexts(sharedTexts);
  useWindowTitle(title);
  return (
    <Center mih="60vh" p="md">
      <Stack align="center" gap="sm" maw={440} ta="center">
        <Picture size={56} stroke={1.2} aria-hidden />
        <Title order={1} size="h2">
          {title}
        </Title>
        <Text c="dimmed">{children}</Text>
        <Button component={Link} to="/" variant="light">
          {t('toStart')}
        </Button>
      </Stack>
    </Center>
  );
}

/** Page shown without the capability. */
export function ForbiddenPage({ capability }: { readonly capability: string }) {
  const t = useTexts(sharedTexts);
  return (
    <StatePage icon={IconLock} title={t('forbiddenTitle')}>
      {t('forbiddenDetail', { capability })}
    </StatePage>
  );
}

export function NotFoundPage() {
  const t = useTexts(sharedTexts);
  return (
    <StatePage icon={IconMapOff} title={t('notFoundTitle')}>
      {t('notFoundDetail')}
    </StatePage>
  );
}

/** Page shown after an error or a failed load. */
export function ErrorPage({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry: () => void;
}) {
  return (
    <Center mih="40vh" p="md">
      <Stack maw={560} w="100%">
        <ProblemAlert error={error} onRetry={onRetry} />
      </Stack>
    </Center>
  );
}
