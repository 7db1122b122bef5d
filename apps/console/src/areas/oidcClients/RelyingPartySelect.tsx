import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useRead } from '../../shared/api/useRead.ts';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useTexts } from '../../shared/texts.ts';
import { texts } from './texts.ts';

/** Selects an active relying party by name or id. */
export function RelyingPartySelect({
  value,
  onChange,
}: {
  /** UUID; null: nothing selected. */
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
}) {
  const t = useTexts(texts);
  const s = useTexts(sharedTexts);
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text.trim(), 300);
  const { data } = useRead('/v3/admin/relying-parties', {
    params: { query: { limit: 50, offset: 0, active: 'true', ...(q !== '' && { q }) } },
  });
  return (
    <Select
      label={t('relyingParty')}
      description={t('relyingPartyHelp')}
      required
      searchable
      clearable
      clearButtonProps={{ 'aria-label': s('clear') }}
      nothingFoundMessage={t('nobodyFound')}
      data={(data?.items ?? []).map((party) => ({
        value: party.relyingPartyUUID,
        label: party.relyingPartyName,
      }))}
      // The service has already filtered, by any part of the name.
      filter={({ options }) => options}
      value={value}
      onChange={onChange}
      onSearchChange={setText}
    />
  );
}
