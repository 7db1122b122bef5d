import { ActionIcon, Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDots, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useAccount } from '../../shared/account.ts';
import { useRead } from '../../shared/api/useRead.ts';
import { roleWords } from '../../../../../api/pages/words/operatorWords.ts';
import { useTexts } from '../../shared/texts.ts';
import type { Column } from '../../shared/ui/columns.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { PageHeader, StatusBadge, Timestamp } from '../../shared/ui/parts.tsx';
import { useListSearch } from '../../shared/useListSearch.ts';
import { AddOperator } from './AddOperator.tsx';
import { search } from './search.ts';
import { ChangeRole, Deactivate, ResetSecondFactor } from './changes.tsx';
import { texts } from './texts.ts';
import type { Admin } from './types.ts';

/** Changes of an operator. */
type Change = 'changeRole' | 'reset' | 'deactivate';

export default function AdminsPage() {
  const t = useTexts(texts);
  const { query, table } = useListSearch(search);
  const source = useRead('/v3/admin/admins', { params: { query } });
  const [isAdding, { open, close }] = useDisclosure(false);
  const [chosen, setChosen] = useState<{ admin: Admin; change: Change } | null>(null);
  const columns = useColumns((admin, change) => setChosen({ admin, change }));
  const done = () => setChosen(null);
  return (
    <>
      <PageHeader
        title={t('nav')}
        lead={t('lead')}
        actions={
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            aria-haspopup="dialog"
            onClick={open}
          >
            {t('add')}
          </Button>
        }
      />
      <DataTable
        label={t('nav')}
        columns={columns}
        source={source}
        rowKey={({ id }) => id}
        {...table}
      />
      <AddOperator opened={isAdding} onClose={close} />
      {chosen?.change === 'changeRole' && <ChangeRole admin={chosen.admin} onClose={done} />}
      {chosen?.change === 'reset' && <ResetSecondFactor admin={chosen.admin} onClose={done} />}
      {chosen?.change === 'deactivate' && <Deactivate admin={chosen.admin} onClose={done} />}
    </>
  );
}

function useColumns(onChange: (admin: Admin, change: Change) => void): readonly Column<Admin>[] {
  const t = useTexts(texts);
  const roleName = useTexts(roleWords);
  const { id: ownId } = useAccount();
  return [
    {
      key: 'email',
      sort: 'email',
      header: t('email'),
      cell: ({ id, email }) => (
        <strong>
          {email}
          {id === ownId && <span data-in-files=""> ({t('you')})</span>}
        </strong>
      ),
    },
    {
      key: 'role',
      sort: 'role',
      header: t('role'),
      cell: ({ role }) => <span title={t(role)}>{roleName(role)}</span>,
    },
    {
      key: 'state',
      sort: 'active',
      header: t('state'),
      cell: ({ active }) => (
        <StatusBadge tone={active ? 'good' : 'neutral'}>
          {t(active ? 'active' : 'inactive')}
        </StatusBadge>
      ),
    },
    {
      key: 'secondFactor',
      sort: 'secondFactorEnrolled',
      header: t('secondFactor'),
      cell: ({ secondFactorEnrolled }) => (
        <StatusBadge tone={secondFactorEnrolled ? 'good' : 'waiting'}>
          {t(secondFactorEnrolled ? 'enrolled' : 'notEnrolled')}
        </StatusBadge>
      ),
    },
    {
      key: 'lastSignIn',
      sort: 'lastSignInAt',
      header: t('lastSignIn'),
      cell: ({ lastSignInAt }) => <Timestamp value={lastSignInAt} />,
    },
    {
      key: 'addedAt',
      sort: 'addedAt',
      header: t('addedAt'),
      cell: ({ addedAt }) => <Timestamp value={addedAt} />,
    },
    {
      key: 'actions',
      isActions: true,
      header: t('actionsColumn'),
      align: 'end',
      cell: (admin) =>
        admin.active ? (
          <Actions admin={admin} onChoose={(change) => onChange(admin, change)} />
        ) : (
          ''
        ),
    },
  ];
}

function Actions({
  admin,
  onChoose,
}: {
  readonly admin: Admin;
  readonly onChoose: (change: Change) => void;
}) {
  const t = useTexts(texts);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('actions', { email: admin.email })}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChoose('changeRole')}>{t('changeRole')}</Menu.Item>
        {admin.secondFactorEnrolled && (
          <Menu.Item onClick={() => onChoose('reset')}>{t('reset')}</Menu.Item>
        )}
        <Menu.Item color="red" onClick={() => onChoose('deactivate')}>
          {t('deactivate')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
