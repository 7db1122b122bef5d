import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useRead } from '../../shared/api/useRead.ts';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useTexts } from '../../shared/texts.ts';
import { texts } from './texts.ts';

/** Relying parties offered at once. */
const OFFERED = 50;
/** Time without typing before they are searched for, ms. */
const TYPING_MS = 300;

/** Filter for one relying party, in a `FilterBar`. */
export function PartyFilter({
  value,
  onChange,
}: {
  /** UUID; undefined: any. */
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
}) {
  const t = useTexts(texts);
  const s = useTexts(sharedTexts);
  const [text, setText] = useState('');
  const [isUsed, setUsed] = useState(false);
  const [q] = useDebouncedValue(text.trim(), TYPING_MS);
  const { data } = useRead(
    '/v3/admin/relying-parties',
    { params: { query: { limit: OFFERED, offset: 0, ...(q !== '' && { q }) } } },
    { enabled: isUsed },
  );
  const chosen = useRead(
    '/v3/admin/relying-parties/{id}',
    { params: { path: { id: value ?? '' } } },
    { enabled: value !== undefined },
  );
  const found = [...(data?.items ?? []), ...(chosen.data === undefined ? [] : [chosen.data])];
  const options = new Map(found.map((each) => [each.relyingPartyUUID, each.relyingPartyName]));
  return (
    <Select
      aria-label={t('askedBy')}
      placeholder={t('anyRelyingParty')}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': s('clearFilters') }}
      data={Array.from(options, ([id, label]) => ({ value: id, label }))}
      // The service has already filtered, by any part of the name.
      filter={({ options: all }) => all}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      onSearchChange={setText}
      onFocus={() => setUsed(true)}
    />
  );
}
