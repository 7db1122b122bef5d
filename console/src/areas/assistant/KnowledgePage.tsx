import { Button, Select } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type AnswerOf, useRead } from '../../shared/api/useRead.ts';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useTexts } from '../../shared/texts.ts';
import { type Column, DataTable } from '../../shared/ui/DataTable.tsx';
import { FilterBar } from '../../shared/ui/FilterBar.tsx';
import { Can, PageHeader, StatusBadge, Timestamp } from '../../shared/ui/parts.tsx';
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
  const { filters, query, page, setFilters, setPage, clearFilters } = useListSearch(search);
  const { q, language } = filters;
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
    <>
      <PageHeader
        title={t('nav')}
        lead={t('lead')}
        actions={
          <>
            <Button variant="default" component={Link} to="/knowledge/prompts">
              {t('prompts')}
            </Button>
            <Can capability="config:write">
              <Button component={Link} to="/knowledge/new" leftSection={<IconPlus size={16} />}>
                {t('add')}
              </Button>
            </Can>
          </>
        }
      />
      <FilterBar q={q} onSearch={(next) => setFilters({ q: next })} placeholder={t('search')}>
        <Select
          aria-label={t('language')}
          w={160}
          value={language ?? ''}
          allowDeselect={false}
          data={[
            { value: '', label: s('all') },
            ...languages.map((value) => ({ value, label: t(`lang_${value}`) })),
          ]}
          onChange={(next) => setFilters({ language: languages.find((each) => each === next) })}
        />
      </FilterBar>
      <DataTable
        label={t('nav')}
        columns={columns}
        source={source}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/knowledge/articles/${id}`}
        page={page}
        onPage={setPage}
        onClearFilters={clearFilters}
      />
      <IndexPanel />
    </>
  );
}
