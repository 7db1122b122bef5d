import { SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { useAccount } from '../../shared/account.ts';
import { useRead } from '../../shared/api/useRead.ts';
import { type Approval, INBOX_EVERY_MS } from '../../shared/approvals.tsx';
import { approvalTexts } from '../../shared/approvalWords.ts';
import { Name } from '../../shared/names.tsx';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useTexts } from '../../shared/texts.ts';
import type { Column } from '../../shared/ui/columns.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { FilterBar } from '../../shared/ui/FilterBar.tsx';
import { PageHeader, Timestamp } from '../../shared/ui/parts.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { search, statuses, views } from './search.ts';
import { Status, Who } from './parts.tsx';
import { texts } from './texts.ts';
import { TimeLeft } from './TimeLeft.tsx';

export default function ListPage() {
  const t = useTexts(texts);
  const s = useTexts(sharedTexts);
  const words = useTexts(approvalTexts);
  const account = useAccount();
  const { filters, paging, searchField, table, setFilters } = useListSearch(search);
  const { view = 'inbox', status, q, sort } = filters;
  const isInbox = view === 'inbox';
  const ofView = {
    inbox: { decidable: 'true' },
    mine: { requestedBy: account.id },
    all: {},
  } as const;
  const source = useRead(
    '/v3/admin/approvals',
    {
      params: {
        query: {
          ...paging,
          ...(sort && { sort }),
          ...(status && { status }),
          ...(q && { q }),
          ...ofView[view],
        },
      },
    },
    { every: INBOX_EVERY_MS },
  );
  return (
    <>
      <PageHeader title={t('nav')} lead={t('lead')} />
      <FilterBar {...searchField} placeholder={t('search')} hint={t('hint')}>
        <SegmentedControl
          aria-label={t('view')}
          value={view}
          data={views.map((value) => ({ value, label: t(value) }))}
          onChange={(next) =>
            setFilters({
              view: next === 'inbox' ? undefined : next,
              status: undefined,
            })
          }
        />
        {!isInbox && (
          <Select
            aria-label={t('status')}
            placeholder={s('all')}
            clearable
            clearButtonProps={{ 'aria-label': s('clearFilters') }}
            value={status ?? null}
            data={statuses.map((value) => ({ value, label: words(value) }))}
            onChange={(next) => setFilters({ status: next ?? undefined })}
          />
        )}
      </FilterBar>
      <DataTable
        label={t('nav')}
        columns={useColumns()}
        source={source}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/approvals/${id}`}
        {...table}
        empty={isInbox ? <Text c="dimmed">{t('inboxEmpty')}</Text> : undefined}
        onClearFilters={
          status === undefined && q === undefined
            ? undefined
            : () => setFilters({ status: undefined, q: undefined })
        }
      />
    </>
  );
}

function useColumns(): readonly Column<Approval>[] {
  const t = useTexts(texts);
  const words = useTexts(approvalTexts);
  return [
    {
      key: 'operation',
      sort: 'operation',
      header: t('operation'),
      cell: ({ operation }) => words(operation),
    },
    {
      key: 'subject',
      header: t('subject'),
      cell: ({ subject }) => <Name id={subject} />,
    },
    {
      key: 'status',
      sort: 'status',
      header: t('status'),
      cell: ({ status }) => <Status status={status} />,
    },
    {
      key: 'requestedBy',
      sort: 'requestedAt',
      header: t('requestedBy'),
      cell: ({ requestedBy, requestedByEmail, requestedAt }) => (
        <Stack gap={0}>
          <span>
            <Who id={requestedBy} email={requestedByEmail} />
          </span>
          <Text size="xs" c="dimmed" component="span">
            <Timestamp value={requestedAt} />
          </Text>
        </Stack>
      ),
    },
    {
      key: 'timeLeft',
      sort: 'expiresAt',
      header: t('timeLeft'),
      cell: ({ status, expiresAt }) =>
        status === 'PENDING' ? <TimeLeft until={expiresAt} /> : '—',
    },
  ];
}
