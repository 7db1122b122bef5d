import { SegmentedControl } from '@mantine/core';
import { useTexts } from '../texts.ts';
import { statisticsTexts } from './statisticsTexts.ts';
import { type WindowName, windows } from './window.ts';

/** Selects the window of time. */
export function WindowSwitch({
  value,
  onChange,
}: {
  readonly value: WindowName;
  readonly onChange: (value: WindowName) => void;
}) {
  const t = useTexts(statisticsTexts);
  return (
    <SegmentedControl
      aria-label={t('window')}
      value={value}
      onChange={onChange}
      data={(Object.keys(windows) as WindowName[]).map((each) => ({ value: each, label: t(each) }))}
    />
  );
}
