import { Select } from '@mantine/core';

/** Filter for one code of a list, in a `FilterBar`. */
export function CodeFilter<Code extends string>({
  label,
  any,
  codes,
  word,
  value,
  onChange,
}: {
  /** Accessible name. */
  readonly label: string;
  /** Label of the empty choice. */
  readonly any: string;
  readonly codes: readonly Code[];
  readonly word: (code: Code) => string;
  /** Undefined: any. */
  readonly value: Code | undefined;
  readonly onChange: (code: Code | undefined) => void;
}) {
  return (
    <Select
      aria-label={label}
      value={value ?? ''}
      allowDeselect={false}
      data={[
        { value: '', label: any },
        ...codes.map((code) => ({ value: code, label: word(code) })),
      ]}
      onChange={(next) => onChange(codes.find((code) => code === next))}
    />
  );
}
