import { Button, Select } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type AnswerOf, useRead } from '../../shared/api/useRead.ts';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useTexts } from '../../shared/texts.ts';
import { CreateButton } from '../../shared/ui/CreateButton.tsx';
import type { Column } from '../../shared/ui/columns.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { ListPage } from '../../shared/ui/ListPage.tsx';
import { StatusBadge, Timestamp } from '../../shared/ui/parts.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { search } from './search.ts';
import { unwrappedSource, type Within } from './enveloped.ts';
import { IndexPanel } from './IndexPanel.tsx';
import { knowledgeTexts } from './texts.ts';

const ADDRESS = '/api/v1/admin/ai/knowledge/articles';
type Row = Within<AnswerOf<typeof ADDRESS>>['items'][number];

const languages = ['mn', 'en', 'zh', 'ru'] as const;

export default function KnowledgePage() {
  const t = useTexts(knowledgeTexts);
  const s = useTexts(sharedTexts);
  const { filters, query, searchField, table, setFilters } = useListSearch(search);
  const source = unwrappedSource(useRead(ADDRESS, { params: { query } }));
  const columns: readonly Column<Row>[] = [
    { key: 'title', header: t('title'), cell: ({ title }) => title },
    { key: 'language', header: t('language'), cell: (row) => t(`lang_${row.language}`) },
    {
      key: 'origin',
      header: t('origin'),
      cell: ({ origin }) => (
        <StatusBadge tone={origin === 'PLATFORM' ? 'info' : 'neutral'}>{t(origin)}</StatusBadge>
      ),
    },
    {
      key: 'changed',
      header: t('changedAt'),
      cell: ({ changed_at: changedAt }) => <Timestamp value={changedAt} />,
    },
  ];
  return (
    <ListPage
      texts={knowledgeTexts}
      actions={
        <>
          <Button variant="default" component={Link} to="/knowledge/prompts">
            {t('prompts')}
          </Button>
          <CreateButton capability="config:write" to="/knowledge/new">
            {t('add')}
          </CreateButton>
        </>
      }
      search={searchField}
      filters={
        <Select
          aria-label={t('language')}
          w={160}
          value={filters.language ?? ''}
          allowDeselect={false}
          data={[
            { value: '', label: s('all') },
            ...languages.map((value) => ({ value, label: t(`lang_${value}`) })),
          ]}
          onChange={(next) => setFilters({ language: languages.find((each) => each === next) })}
        />
      }
    >
      <DataTable
        label={t('nav')}
        columns={columns}
        source={source}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/knowledge/articles/${id}`}
        {...table}
      />
      <IndexPanel />
    </ListPage>
  );
}
