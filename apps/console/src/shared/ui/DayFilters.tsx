import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';
import { DateField } from './DateField.tsx';

const DAY_MS = 86_400_000;

/** Start of a day in the reader's time zone, `days` later, ISO 8601. */
export function dayStart(day: string, days = 0): string {
  return new Date(new Date(`${day}T00:00:00`).getTime() + days * DAY_MS).toISOString();
}

/** Filters for the first and last day of a period, in a `FilterBar`. */
export function DayFilters({
  from,
  to,
  onChange,
}: {
  /** A date; undefined: no bound. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly onChange: (change: { from?: string | undefined; to?: string | undefined }) => void;
}) {
  const t = useTexts(sharedTexts);
  const days = { from, to };
  return (['from', 'to'] as const).map((end) => (
    <DateField
      key={end}
      label={t(end)}
      value={days[end] ?? ''}
      onChange={(value) => onChange({ [end]: value || undefined })}
    />
  ));
}
