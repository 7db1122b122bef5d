import { Button, Select, Switch, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconBinaryTree } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useRead } from '../../shared/api/useRead.ts';
import type { AuditRow } from '../../shared/records/statuses.tsx';
import { AuditTable, useAuditColumns } from '../../shared/records/tables.tsx';
import { auditWords, useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { DayFilters, dayStart } from '../../shared/ui/DayFilters.tsx';
import { DownloadButton } from '../../shared/ui/DownloadButton.tsx';
import { ExportButtons } from '../../shared/ui/ExportButtons.tsx';
import { FilterBar } from '../../shared/ui/FilterBar.tsx';
import { PageHeader } from '../../shared/ui/parts.tsx';
import { SavedFilters } from '../../shared/ui/SavedFilters.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { search } from './search.ts';
import { texts } from './texts.ts';

type Type = AuditRow['type'];
const READ: Type = 'OPERATOR_READ';
const types = Object.keys(auditWords.keys) as Type[];

export default function ListPage() {
  const t = useTexts(texts);
  const { filters, paging, table, setFilters } = useListSearch(search);
  const { type, subject, actor, outcome, reads, from, to, sort } = filters;
  const wanted = {
    // Most lines are reads; who looks for them alone sees them in any case.
    ...(reads === undefined && type !== READ && ({ reads: 'false' } as const)),
    ...(type !== undefined && { type: type as Type }),
    ...(subject !== undefined && { subject }),
    ...(actor !== undefined && { actor }),
    ...(outcome !== undefined && { outcome }),
    ...(from !== undefined && { from: dayStart(from) }),
    ...(to !== undefined && { to: dayStart(to, 1) }),
  };
  const { readPart, ...source } = useRead('/v3/admin/audit', {
    params: { query: { ...wanted, ...paging, ...(sort !== undefined && { sort }) } },
  });
  const query = new URLSearchParams(wanted).toString();
  return (
    <>
      <PageHeader
        title={t('nav')}
        lead={t('lead')}
        actions={
          <>
            <Button
              component={Link}
              to="/audit/tree"
              variant="default"
              leftSection={<IconBinaryTree size={16} aria-hidden />}
            >
              {t('tree')}
            </Button>
            <ExportButtons label={t('nav')} columns={useAuditColumns()} readPart={readPart} />
            <DownloadButton href={`/v3/admin/audit/export?${query}`} fileName="audit-codes.csv">
              {t('csv')}
            </DownloadButton>
            <DownloadButton href="/v3/admin/audit/events" fileName="events.jsonl">
              {t('jsonl')}
            </DownloadButton>
          </>
        }
      />
      <Filters filters={filters} setFilters={setFilters} />
      <AuditTable label={t('nav')} source={source} {...table} />
    </>
  );
}

type Search = ReturnType<typeof useListSearch<typeof search>>;

function Filters({ filters, setFilters }: Pick<Search, 'filters' | 'setFilters'>) {
  const t = useTexts(texts);
  const word = useWords(auditWords);
  return (
    <FilterBar>
      <Select
        label={t('type')}
        searchable
        value={filters.type ?? ''}
        data={[
          { value: '', label: t('anyType') },
          ...types.map((value) => ({ value, label: word(value) })),
        ]}
        onChange={(next) => setFilters({ type: next ?? undefined })}
      />
      <TextFilter
        label={t('subject')}
        value={filters.subject}
        onChange={(subject) => setFilters({ subject })}
      />
      <TextFilter
        label={t('actor')}
        value={filters.actor}
        onChange={(actor) => setFilters({ actor })}
      />
      <Select
        label={t('outcome')}
        allowDeselect={false}
        value={filters.outcome ?? ''}
        data={[
          { value: '', label: t('anyOutcome') },
          { value: 'OK', label: t('ok') },
          { value: 'DENIED', label: t('denied') },
        ]}
        onChange={(next) =>
          setFilters({ outcome: next === 'OK' || next === 'DENIED' ? next : undefined })
        }
      />
      <DayFilters from={filters.from} to={filters.to} onChange={setFilters} />
      <Switch
        label={t('reads')}
        checked={filters.reads !== undefined || filters.type === READ}
        disabled={filters.type === READ}
        onChange={({ currentTarget: { checked } }) =>
          setFilters({ reads: checked ? 'true' : undefined })
        }
      />
      <SavedFilters />
    </FilterBar>
  );
}

/** Text filter that searches while typing. */
function TextFilter({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}) {
  const [shown, setShown] = useState({ text: value ?? '', of: value });
  // Empties the field when the filter was cleared elsewhere.
  if (shown.of !== value) setShown({ text: value ?? '', of: value });
  const tell = useDebouncedCallback((text: string) => {
    onChange(text.trim() === '' ? undefined : text.trim());
  }, 300);
  return (
    <TextInput
      label={label}
      value={shown.text}
      autoComplete="off"
      maxLength={200}
      flex="1 1 14rem"
      maw={360}
      onChange={({ currentTarget }) => {
        setShown({ text: currentTarget.value, of: value });
        tell(currentTarget.value);
      }}
    />
  );
}
