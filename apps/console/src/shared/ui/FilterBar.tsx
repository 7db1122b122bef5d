import { Group, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';

/** Filters above a list: a search while typing, and others. */
export function FilterBar({
  q,
  onSearch,
  placeholder,
  hint,
  children,
}: {
  readonly q?: string | undefined;
  /** Given when the list is searchable; called with undefined to clear. */
  readonly onSearch?: (q: string | undefined) => void;
  readonly placeholder?: string;
  /** Hint of searchable fields. */
  readonly hint?: string;
  readonly children?: ReactNode;
}) {
  return (
    // The hint of a search is below it, the labels of other fields above.
    <Group
      gap="sm"
      mb="md"
      role="search"
      align={onSearch === undefined ? 'flex-end' : 'flex-start'}
    >
      {onSearch !== undefined && (
        // The key empties the field when the search was cleared elsewhere.
        <SearchField
          key={q === undefined ? 'empty' : 'set'}
          q={q}
          onSearch={onSearch}
          placeholder={placeholder}
          hint={hint}
        />
      )}
      {children}
    </Group>
  );
}

function SearchField({
  q,
  onSearch,
  placeholder,
  hint,
}: {
  readonly q: string | undefined;
  readonly onSearch: (q: string | undefined) => void;
  readonly placeholder: string | undefined;
  readonly hint: string | undefined;
}) {
  const t = useTexts(sharedTexts);
  const [text, setText] = useState(q ?? '');
  const search = useDebouncedCallback((next: string) => {
    onSearch(next.trim() === '' ? undefined : next.trim());
  }, 300);
  return (
    <TextInput
      type="search"
      aria-label={placeholder ?? t('search')}
      placeholder={placeholder ?? t('search')}
      description={hint}
      inputWrapperOrder={['label', 'input', 'description']}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      autoComplete="off"
      maxLength={200}
      flex="1 1 16rem"
      maw={hint === undefined ? 420 : 560}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown') return;
        event.preventDefault();
        document.querySelector<HTMLElement>('main [data-row-link]')?.focus();
      }}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        search(value);
      }}
    />
  );
}
