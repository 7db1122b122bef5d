import { ActionIcon, Menu, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { useTexts } from '../../shared/texts.ts';
import { useAct } from '../../shared/ui/ActionButton.tsx';
import { ConfirmByTyping } from '../../shared/ui/ConfirmByTyping.tsx';
import type { Column } from '../../shared/ui/columns.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { CommandForm } from '../../shared/ui/CommandForm.tsx';
import { useNotifyOutcome } from '../../shared/ui/FourEyes.tsx';
import { Can, Section, StatusBadge, Timestamp } from '../../shared/ui/parts.tsx';
import type { Party } from './settings.ts';
import { texts } from './texts.ts';

type Subsystem = Party['subsystems'][number];

const address = '/v3/admin/relying-parties/{id}/subsystems/{sid}';
const tones = { ACTIVE: 'good', DEACTIVATED: 'neutral', MERGED: 'info' } as const;

/** Display name, else the name used in requests. */
function nameOf({ displayName, name }: Subsystem): string {
  return displayName ?? name;
}

/** Subsystems of a relying party. */
export function Subsystems({ party, isPast }: { readonly party: Party; readonly isPast: boolean }) {
  const t = useTexts(texts);
  const { subsystems } = party;
  const columns: readonly Column<Subsystem>[] = [
    { key: 'name', header: t('subsystem'), cell: ({ name }) => <Text ff="monospace">{name}</Text> },
    { key: 'displayName', header: t('displayName'), cell: ({ displayName }) => displayName ?? '—' },
    {
      key: 'state',
      header: t('state'),
      cell: (row) => <State subsystem={row} all={subsystems} />,
    },
    {
      key: 'firstSeen',
      header: t('firstSeen'),
      cell: ({ firstSeenAt }) => <Timestamp value={firstSeenAt} />,
    },
    {
      key: 'actions',
      isActions: true,
      header: t('actions'),
      align: 'end',
      cell: (row) =>
        !isPast && (
          <Can capability="rp:write">
            <Actions party={party} subsystem={row} />
          </Can>
        ),
    },
  ];
  return (
    <Section title={t('subsystems')}>
      <DataTable
        label={t('subsystems')}
        columns={columns}
        source={{
          data: { items: subsystems, total: subsystems.length },
          error: null,
          refetch: () => undefined,
        }}
        rowKey={({ id }) => String(id)}
        empty={
          <Text size="sm" c="dimmed">
            {t('subsystemsEmpty')}
          </Text>
        }
      />
    </Section>
  );
}

function State({
  subsystem,
  all,
}: {
  readonly subsystem: Subsystem;
  readonly all: readonly Subsystem[];
}) {
  const t = useTexts(texts);
  const { status, mergedInto } = subsystem;
  const into = all.find(({ id }) => id === mergedInto);
  return (
    <StatusBadge tone={tones[status]}>
      {into === undefined
        ? t(status === 'ACTIVE' ? 'active' : 'inactive')
        : t('mergedInto', { name: nameOf(into) })}
    </StatusBadge>
  );
}

interface Subject {
  readonly party: Party;
  readonly subsystem: Subsystem;
}

function Actions({ party, subsystem }: Subject) {
  const t = useTexts(texts);
  const act = useAct();
  const [dialog, setDialog] = useState<'rename' | 'merge' | null>(null);
  const path = { id: party.relyingPartyUUID, sid: String(subsystem.id) };
  const change = useCommand({
    run: (wish: 'activate' | 'deactivate') => api.POST(`${address}/${wish}`, { params: { path } }),
    touches: ['/v3/admin/relying-parties'],
  });
  const isActive = subsystem.status === 'ACTIVE';
  const others = party.subsystems.filter(
    ({ id, status }) => id !== subsystem.id && status !== 'MERGED',
  );

  const toggle = () => act(change.mutateAsync(isActive ? 'deactivate' : 'activate'), t('changed'));
  const close = () => setDialog(null);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            loading={change.isPending}
            aria-label={t('actionsOf', { name: nameOf(subsystem) })}
          >
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setDialog('rename')}>{t('rename')}</Menu.Item>
          {subsystem.status !== 'MERGED' && (
            <Menu.Item onClick={() => void toggle()}>
              {t(isActive ? 'deactivate' : 'activate')}
            </Menu.Item>
          )}
          {subsystem.status !== 'MERGED' && others.length > 0 && (
            <Menu.Item color="red" onClick={() => setDialog('merge')}>
              {t('merge')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Modal opened={dialog === 'rename'} onClose={close} title={t('rename')} centered>
        {dialog === 'rename' && <Rename party={party} subsystem={subsystem} onDone={close} />}
      </Modal>
      <Merge
        party={party}
        subsystem={subsystem}
        others={others}
        isOpen={dialog === 'merge'}
        onClose={close}
      />
    </>
  );
}

function Rename({ party, subsystem, onDone }: Subject & { readonly onDone: () => void }) {
  const t = useTexts(texts);
  const [name, setName] = useState(subsystem.displayName ?? '');
  const rename = useCommand({
    run: (displayName: string | null) =>
      api.PATCH(address, {
        params: { path: { id: party.relyingPartyUUID, sid: String(subsystem.id) } },
        body: { displayName },
      }),
    touches: ['/v3/admin/relying-parties'],
  });
  return (
    <CommandForm
      command={rename}
      input={name.trim() || null}
      done={t('renamed')}
      onClose={onDone}
      verb={t('save')}
    >
      <TextInput
        label={t('displayName')}
        description={t('displayNameHelp')}
        value={name}
        maxLength={120}
        data-autofocus
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
    </CommandForm>
  );
}

function Merge({
  party,
  subsystem,
  others,
  isOpen,
  onClose,
}: Subject & {
  readonly others: readonly Subsystem[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  const t = useTexts(texts);
  const tell = useNotifyOutcome();
  const [into, setInto] = useState(String(others[0]?.id ?? ''));
  const merge = useCommand({
    run: (target: number) =>
      api.POST(`${address}/merge`, {
        params: { path: { id: party.relyingPartyUUID, sid: String(subsystem.id) } },
        body: { into: target },
      }),
    touches: ['/v3/admin/relying-parties'],
  });
  return (
    <ConfirmByTyping
      opened={isOpen}
      onClose={onClose}
      title={t('mergeTitle', { name: nameOf(subsystem) })}
      action={t('merge')}
      name={nameOf(subsystem)}
      onConfirm={async () => {
        tell(await merge.mutateAsync(Number(into)), t('merged'));
      }}
    >
      <Stack gap="sm">
        <span>{t('mergeLead')}</span>
        <Select
          label={t('mergeInto')}
          value={into}
          allowDeselect={false}
          data={others.map((other) => ({ value: String(other.id), label: nameOf(other) }))}
          onChange={(next) => setInto(next ?? into)}
        />
      </Stack>
    </ConfirmByTyping>
  );
}
