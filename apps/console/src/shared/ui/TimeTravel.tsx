import { Alert, Button, Group, Popover, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconHistory } from '@tabler/icons-react';
import { type SubmitEvent, useState } from 'react';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';
import { useAsOf } from '../useAsOf.ts';
import { DateField } from './DateField.tsx';
import { Timestamp } from './parts.tsx';

const HOUR_MS = 3_600_000;
const steps = [
  ['hourAgo', HOUR_MS],
  ['dayAgo', 24 * HOUR_MS],
  ['weekAgo', 7 * 24 * HOUR_MS],
  ['monthAgo', 30 * 24 * HOUR_MS],
] as const;

/** Value of a field of a moment: in the reader's time zone, to the second. */
function localText(moment: Date): string {
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19).replace('T', ' ');
}

/**
 * Selects the time a page shows. The page reads it with `useAsOf` and shows {@link PastBanner}
 * above its content.
 *
 * @param since creation of the record, ISO 8601: the earliest time
 */
export function TimeTravel({ since }: { readonly since?: string | undefined }) {
  const t = useTexts(sharedTexts);
  const { isPast } = useAsOf();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  return (
    <Popover
      opened={isOpen}
      onDismiss={close}
      position="bottom-end"
      trapFocus
      withArrow
      shadow="md"
    >
      <Popover.Target>
        <Button
          variant={isPast ? 'light' : 'default'}
          leftSection={<IconHistory size={16} aria-hidden />}
          onClick={toggle}
        >
          {t('timeTravel')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('timeTravel')} maw="calc(100vw - 1rem)">
        {isOpen && <Moments since={since} onDone={close} />}
      </Popover.Dropdown>
    </Popover>
  );
}

function Moments({
  since,
  onDone,
}: {
  readonly since: string | undefined;
  readonly onDone: () => void;
}) {
  const t = useTexts(sharedTexts);
  const { asOf, setAsOf } = useAsOf();
  const [opened] = useState(() => new Date());
  const [picked, setPicked] = useState(localText(asOf === undefined ? opened : new Date(asOf)));
  const go = (moment: Date) => {
    setAsOf(moment);
    onDone();
  };
  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const moment = new Date(picked).getTime();
    const least = since === undefined ? moment : Date.parse(since);
    if (!Number.isNaN(moment)) go(new Date(Math.min(Math.max(moment, least), opened.getTime())));
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <DateField
          isMoment
          required
          label={t('moment')}
          description={t('momentHelp')}
          value={picked}
          maxDate={localText(opened)}
          {...(since === undefined ? {} : { minDate: localText(new Date(since)) })}
          onChange={setPicked}
        />
        <Group gap={6}>
          {steps
            .filter(
              ([, back]) => since === undefined || opened.getTime() - back > Date.parse(since),
            )
            .map(([name, back]) => (
              <Button
                key={name}
                size="compact-xs"
                variant="default"
                onClick={() => go(new Date(opened.getTime() - back))}
              >
                {t(name)}
              </Button>
            ))}
        </Group>
        <Button type="submit">{t('showMoment')}</Button>
      </Stack>
    </form>
  );
}

/** Banner while a past state is shown, with a link to the present. */
export function PastBanner() {
  const t = useTexts(sharedTexts);
  const { asOf, setAsOf } = useAsOf();
  if (asOf === undefined) return null;
  return (
    <Alert
      color="yellow"
      icon={<IconHistory aria-hidden />}
      mb="md"
      role="status"
      title={
        <>
          {t('asOf')} <Timestamp value={asOf} isExact />
        </>
      }
    >
      <Group justify="space-between" gap="xs">
        <Text size="sm">{t('asOfDetail')}</Text>
        <Button size="xs" variant="default" onClick={() => setAsOf(undefined)}>
          {t('backToNow')}
        </Button>
      </Group>
    </Alert>
  );
}
