import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { may, useAccount } from '../../shared/account.ts';
import { useTexts, useTextsOfAll } from '../../shared/texts.ts';
import { finders } from './finders.tsx';
import classes from './Search.module.css';
import { searchTexts } from './searchTexts.ts';
import { usePlaces } from './usePlaces.ts';

/** Each search reads lists, which is on record: none is begun while somebody types, or for a letter. */
const TYPING_MS = 300;
const SHORTEST = 2;

interface Option {
  /** Path of its page. */
  readonly to: string;
  readonly name: string;
  readonly detail?: ReactNode;
}

/** Options of one kind. */
interface Group {
  readonly label: string;
  readonly items: readonly Option[];
}

/** Search over everything the account may see, pages and commands. */
export default function Search({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  const t = useTexts(searchTexts);
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('title')}
      size="lg"
      yOffset="8vh"
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {isOpen && <Finding onClose={onClose} />}
    </Modal>
  );
}

/** A field with the options for its text (ARIA Authoring Practices, combobox with a list). */
function Finding({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts(searchTexts);
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const { groups, isSearching } = useGroups(query);
  const options = groups.flatMap(({ items }) => items);
  const here = Math.min(active, options.length - 1);
  const listId = useId();
  const idOf = (index: number) => `${listId}-${index}`;

  function go({ to }: Option) {
    onClose();
    void navigate({ to });
  }

  function onKeyDown(event: KeyboardEvent) {
    const chosen = options[here];
    if (event.key === 'Enter' && chosen !== undefined) go(chosen);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || options.length === 0) return;
    event.preventDefault();
    setActive((here + step + options.length) % options.length);
  }

  useEffect(() => {
    document.getElementById(`${listId}-${here}`)?.scrollIntoView({ block: 'nearest' });
  }, [listId, here]);

  return (
    <>
      <TextInput
        data-autofocus
        role="combobox"
        aria-label={t('placeholder')}
        aria-expanded={options.length > 0}
        aria-controls={listId}
        aria-activedescendant={options.length > 0 ? idOf(here) : undefined}
        placeholder={t('placeholder')}
        leftSection={<IconSearch size={18} aria-hidden />}
        autoComplete="off"
        maxLength={200}
        value={query}
        onChange={({ currentTarget }) => {
          setQuery(currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label={t('found')} className={classes.list}>
        {groups.map((group) => (
          <Options
            key={group.label}
            group={group}
            from={options.indexOf(group.items[0] as Option)}
            here={here}
            idOf={idOf}
            onChoose={go}
          />
        ))}
      </div>
      <div role="status" className={classes.status}>
        {isSearching ? t('searching') : options.length === 0 && t('nothing')}
      </div>
    </>
  );
}

function Options({
  group: { label, items },
  from,
  here,
  idOf,
  onChoose,
}: {
  readonly group: Group;
  /** Number of the first one. */
  readonly from: number;
  /** Number of the active one. */
  readonly here: number;
  readonly idOf: (index: number) => string;
  readonly onChoose: (option: Option) => void;
}) {
  return (
    <div role="group" aria-label={label}>
      <div className={classes.group} aria-hidden>
        {label}
      </div>
      {items.map((option, index) => (
        <div
          key={option.to + option.name}
          id={idOf(from + index)}
          role="option"
          aria-selected={from + index === here}
          className={classes.option}
          onClick={() => onChoose(option)}
        >
          <span>{option.name}</span>
          {option.detail !== undefined && <span className={classes.detail}>{option.detail}</span>}
        </div>
      ))}
    </div>
  );
}

/** Options for a text, those of one kind together; a kind that cannot be searched for it has none. */
function useGroups(query: string) {
  const t = useTexts(searchTexts);
  const say = useTextsOfAll();
  const account = useAccount();
  const [settled] = useDebouncedValue(query.trim(), TYPING_MS);
  const { pages, commands } = usePlaces()(query);
  const allowed = finders.filter(({ capability }) => may(account, capability));
  const isWanted = settled.length >= SHORTEST;
  const results = useQueries({
    queries: allowed.map(({ texts, find }) => ({
      queryKey: ['search', texts.keys.nav, settled],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => find(settled, signal),
      enabled: isWanted,
      retry: false,
      // Details are elements of the page, which are not compared member by member.
      structuralSharing: false,
    })),
  });
  const found = allowed.map(({ texts }, index) => ({
    label: say(texts, 'nav'),
    items: isWanted ? (results[index]?.data ?? []) : [],
  }));
  const all: readonly Group[] = [
    ...found,
    { label: t('pages'), items: pages },
    { label: t('actions'), items: commands },
  ];
  return {
    groups: all.filter(({ items }) => items.length > 0),
    isSearching: isWanted && results.some(({ isLoading }) => isLoading),
  };
}
