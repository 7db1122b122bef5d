import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { IconBookmark, IconTrash } from '@tabler/icons-react';
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { readFilters, removeFilter, saveFilter } from '../savedFilters.ts';
import { useTexts } from '../texts.ts';
import { savedFilterTexts } from './savedFilterTexts.ts';

/** Saves the filters of the list under a name, and applies saved ones; they stay in this browser. */
export function SavedFilters() {
  const t = useTexts(savedFilterTexts);
  const { pathname } = useLocation();
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [filters, setFilters] = useState(() => readFilters(pathname));
  const [name, setName] = useState('');

  function save() {
    const kept = Object.fromEntries(
      Object.entries(search).filter(([key]) => key !== 'page' && key !== 'snapshot'),
    );
    setFilters(saveFilter(pathname, { name: name.trim(), search: kept }));
    setName('');
  }

  return (
    // Outside of the portal: it belongs to the landmark of the search.
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      trapFocus
      withRoles={false}
      withinPortal={false}
    >
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconBookmark size={16} aria-hidden />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {t('savedFilters')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown maw="calc(100vw - 1rem)">
        <Stack gap="xs" miw={220}>
          {filters.length === 0 && (
            <Text size="sm" c="dimmed">
              {t('noSavedFilters')}
            </Text>
          )}
          {filters.map((each) => (
            <Group key={each.name} gap="xs" wrap="nowrap" justify="space-between">
              <Button
                variant="subtle"
                size="compact-sm"
                onClick={() => {
                  setOpen(false);
                  void navigate({ to: '.', search: each.search });
                }}
              >
                {each.name}
              </Button>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('removeFilter', { name: each.name })}
                onClick={() => setFilters(removeFilter(pathname, each.name))}
              >
                <IconTrash size={14} />
              </ActionIcon>
            </Group>
          ))}
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (name.trim() !== '') save();
            }}
          >
            <Group gap="xs" align="flex-end">
              <TextInput
                label={t('filterName')}
                value={name}
                maxLength={60}
                autoComplete="off"
                onChange={({ currentTarget }) => setName(currentTarget.value)}
              />
              <Button type="submit" disabled={name.trim() === ''}>
                {t('saveFilters')}
              </Button>
            </Group>
          </form>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
