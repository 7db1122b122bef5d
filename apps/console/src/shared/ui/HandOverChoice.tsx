import { Checkbox } from '@mantine/core';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';

/** Choice of a registration: its secret is handed over by a link, and no operator sees it. */
export function HandOverChoice({
  isChosen,
  onChoose,
}: {
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
}) {
  const t = useTexts(sharedTexts);
  return (
    <Checkbox
      label={t('byLink')}
      description={t('byLinkHelp')}
      checked={isChosen}
      onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
    />
  );
}
