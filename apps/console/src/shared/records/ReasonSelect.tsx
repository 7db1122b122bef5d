import { Select } from '@mantine/core';
import { revocationReasons } from '../../../../../api/pages/words/revocationReasons.ts';
import { useTexts } from '../texts.ts';
import { recordTexts, useReason } from './words.ts';

/** certificateHold (RFC 5280 §5.3.1) does not end a certificate. */
const CERTIFICATE_HOLD = 6;

/** Selects the reason for the end of a device or certificate. */
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
        .filter((reason) => reason !== CERTIFICATE_HOLD)
        .map((reason) => ({ value: `${reason}`, label: word(reason) }))}
      onChange={(next) => onChange(Number(next ?? value))}
    />
  );
}
