import { Select } from '@mantine/core';
import { revocationReasons } from '../revocationReasons.ts';
import { useTexts } from '../texts.ts';
import { recordTexts, useReason } from './words.ts';

/** certificateHold (RFC 5280 §5.3.1): what is on hold has not ended. */
const HOLD = 6;

/** Asks why a device or certificate ends. */
export function ReasonSelect({
  value,
  onChange,
}: {
  readonly value: number;
  readonly onChange: (reason: number) => void;
}) {
  const t = useTexts(recordTexts);
  const word = useReason();
  return (
    <Select
      label={t('reason')}
      value={`${value}`}
      allowDeselect={false}
      data={revocationReasons
        .filter((reason) => reason !== HOLD)
        .map((reason) => ({ value: `${reason}`, label: word(reason) }))}
      onChange={(next) => onChange(Number(next ?? value))}
    />
  );
}
