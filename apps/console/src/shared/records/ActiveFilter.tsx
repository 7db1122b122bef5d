import { SegmentedControl } from '@mantine/core';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';
import type { activeSearch } from '../useListSearch.ts';
import type { z } from '../zod.ts';
import { recordTexts } from './words.ts';

type Active = z.output<typeof activeSearch>;

/** Filter for active, inactive, or all records, in a `FilterBar`. */
export function ActiveFilter({
  value,
  onChange,
}: {
  readonly value: Active;
  readonly onChange: (value: Active) => void;
}) {
  const t = useTexts(recordTexts);
  const s = useTexts(sharedTexts);
  return (
    <SegmentedControl
      aria-label={t('state')}
      value={value ?? ''}
      data={[
        { value: '', label: s('all') },
        { value: 'true', label: t('active') },
        { value: 'false', label: t('inactive') },
      ]}
      onChange={(next) => onChange(next === '' ? undefined : next)}
    />
  );
}
