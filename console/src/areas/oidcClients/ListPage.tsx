import { Button, SegmentedControl } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type RowOf, useRead } from '../../shared/api/useRead.ts';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useTexts } from '../../shared/texts.ts';
import { type Column, DataTable } from '../../shared/ui/DataTable.tsx';
import { FilterBar } from '../../shared/ui/FilterBar.tsx';
import { Can, PageHeader, Timestamp } from '../../shared/ui/parts.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { search } from './area.ts';
import { State } from './State.tsx';
import { texts } from './texts.ts';

type Row = RowOf<'/v3/admin/oidc-clients'>;

export default function ListPage() {
  const t = useTexts(texts);
  const s = useTexts(sharedTexts);
  const { filters, page, paging, setFilters, setPage } = useListSearch(search);
  const { q, active } = filters;
  const chosen = { ...(q && { q }), ...(active && { active }) };
  const source = useRead('/v3/admin/oidc-clients', { params: { query: { ...paging, ...chosen } } });
  const columns: readonly Column<Row>[] = [
    { key: 'name', header: t('name'), cell: (row) => row.name },
    { key: 'scopes', header: t('scopes'), cell: (row) => row.scopes.join(' ') },
    { key: 'authMethod', header: t('authMethod'), cell: (row) => row.authMethod },
    { key: 'state', header: t('state'), cell: (row) => <State isActive={row.active} /> },
    {
      key: 'registeredAt',
      header: t('registeredAt'),
      cell: (row) => <Timestamp value={row.registeredAt} />,
    },
  ];
  return (
    <>
      <PageHeader
        title={t('nav')}
        lead={t('lead')}
        actions={
          <Can capability="rp:write">
            <Button
              component={Link}
              to="/oidc-clients/new"
              leftSection={<IconPlus size={16} aria-hidden />}
            >
              {t('register')}
            </Button>
          </Can>
        }
      />
      <FilterBar q={q} onSearch={(next) => setFilters({ q: next })} placeholder={t('search')}>
        <SegmentedControl
          aria-label={t('state')}
          value={active ?? ''}
          data={[
            { value: '', label: s('all') },
            { value: 'true', label: t('active') },
            { value: 'false', label: t('inactive') },
          ]}
          onChange={(next) => setFilters({ active: next === '' ? undefined : next })}
        />
      </FilterBar>
      <DataTable
        label={t('nav')}
        columns={columns}
        source={source}
        rowKey={(row) => row.clientId}
        rowLink={(row) => `/oidc-clients/${row.clientId}`}
        page={page}
        onPage={setPage}
        onClearFilters={
          Object.keys(chosen).length === 0
            ? undefined
            : () => setFilters({ q: undefined, active: undefined })
        }
      />
    </>
  );
}
