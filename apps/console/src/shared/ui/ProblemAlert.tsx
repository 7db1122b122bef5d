import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { asProblem } from '../api/problem.ts';
import { problemTexts } from '../../../../../api/pages/words/problemTexts.ts';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';

/**
 * An error with its remedy and request id. Known codes are translated; others shown as the service
 * says them.
 */
export function ProblemAlert({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}) {
  const t = useTexts(sharedTexts);
  const { title, detail, code, requestId, retryAfter, faults } = useProblemWords(error);
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={title} role="alert">
      <Stack gap="xs">
        <Text size="sm">{detail}</Text>
        {faults.map(({ pointer, detail: fault }) => (
          <Text size="sm" key={pointer + fault}>
            <Code>{pointer}</Code> {fault}
          </Text>
        ))}
        {retryAfter !== null && <Text size="sm">{t('waitSeconds', { count: retryAfter })}</Text>}
        {requestId !== null && (
          <Text size="xs" c="dimmed">
            {t('code')}: <Code>{code}</Code> · {t('requestId')}: <Code>{requestId}</Code>
          </Text>
        )}
        {onRetry !== undefined && (
          <Group>
            <Button size="xs" variant="default" onClick={onRetry}>
              {t('retry')}
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

/** Translates a problem. */
function useProblemWords(error: unknown) {
  const { status, code, title, detail, requestId, retryAfter, faults } = asProblem(error);
  const t = useTexts(sharedTexts);
  const known = useTexts(problemTexts);
  const about = { code, requestId, retryAfter, faults };
  if (code === 'NETWORK') return { ...about, title: t('network'), detail: t('networkDetail') };
  if (status === 0) return { ...about, title: t('unexpected'), detail: t('unexpectedDetail') };
  return isKnown(code) ? { ...about, title: known(code), detail } : { ...about, title, detail };
}

function isKnown(code: string): code is keyof typeof problemTexts.keys {
  return code in problemTexts.keys;
}
