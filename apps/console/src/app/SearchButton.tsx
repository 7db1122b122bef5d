import { ActionIcon, Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTexts } from '../shared/texts.ts';
import { appTexts } from './appTexts.ts';

/** Loaded when it is asked for the first time. */
const Search = lazy(() => import('./search/Search.tsx'));

/** True for Ctrl-K by its place, since a Cyrillic keyboard has another letter there, and for / outside of fields. */
function isAsking({ ctrlKey, metaKey, altKey, code, key, target }: KeyboardEvent): boolean {
  if (altKey) return false;
  if (ctrlKey || metaKey) return code === 'KeyK';
  const isField =
    target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
  return key === '/' && !isField;
}

/** Opens the search over everything: by click, by Ctrl-K anywhere, by / outside of fields. */
export function SearchButton() {
  const t = useTexts(appTexts);
  const [isOpen, { open, close }] = useDisclosure(false);
  const [isLoaded, setLoaded] = useState(false);
  const ask = () => {
    setLoaded(true);
    open();
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isAsking(event)) return;
      event.preventDefault();
      setLoaded(true);
      open();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [open]);
  const keys = { 'aria-keyshortcuts': 'Control+K /', onClick: ask };
  return (
    <>
      <Button
        variant="default"
        size="xs"
        visibleFrom="sm"
        leftSection={<IconSearch size={14} aria-hidden />}
        rightSection={
          <Text size="xs" c="dimmed" aria-hidden>
            Ctrl K
          </Text>
        }
        {...keys}
      >
        {t('search')}
      </Button>
      <ActionIcon
        variant="subtle"
        color="gray"
        hiddenFrom="sm"
        size="lg"
        aria-label={t('searchAll')}
        {...keys}
      >
        <IconSearch size={18} aria-hidden />
      </ActionIcon>
      {isLoaded && (
        <Suspense>
          <Search isOpen={isOpen} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
