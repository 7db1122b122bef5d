import { Button, Modal, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { useTexts } from '../../shared/texts.ts';
import { ActionButton } from '../../shared/ui/ActionButton.tsx';
import { CommandForm } from '../../shared/ui/CommandForm.tsx';
import { SensitiveButton } from '../../shared/ui/SensitiveButton.tsx';
import type { Organization } from './Status.tsx';
import { texts } from './texts.ts';

type Status = Organization['status'];
interface Subject {
  readonly organization: Organization;
}

/** Command that edits the organization. */
function useEdit({ orgEtsi }: Organization) {
  return useCommand({
    run: (body: { name?: string; status?: Status; comment?: string }) =>
      api.PATCH('/v3/admin/organizations/{etsi}', { params: { path: { etsi: orgEtsi } }, body }),
    touches: ['/v3/admin/organizations'],
  });
}

/** Buttons of the permitted status transitions. */
export function StatusButtons({ organization }: Subject) {
  return organization.nextStatuses.map((next) =>
    next === 'SUSPENDED' || next === 'REVOKED' ? (
      <End key={next} organization={organization} next={next} />
    ) : (
      <Go key={next} organization={organization} next={next} />
    ),
  );
}

function Go({ organization, next }: Subject & { readonly next: Exclude<Status, 'SUSPENDED'> }) {
  const t = useTexts(texts);
  const edit = useEdit(organization);
  const isRestore = organization.status === 'SUSPENDED';
  const key = next === 'VERIFIED' ? 'toVERIFIED' : 'toACTIVE';
  return (
    <ActionButton
      variant="filled"
      command={{
        isPending: edit.isPending,
        mutateAsync: () => edit.mutateAsync({ status: next }),
      }}
      done={t('statusChanged')}
    >
      {t(isRestore ? 'restore' : key)}
    </ActionButton>
  );
}

function End({ organization, next }: Subject & { readonly next: 'SUSPENDED' | 'REVOKED' }) {
  const t = useTexts(texts);
  const edit = useEdit(organization);
  const isForGood = next === 'REVOKED';
  return (
    <SensitiveButton
      reviewedAs={isForGood ? 'organization.revoke' : null}
      verb={t(`to${next}`)}
      name={organization.name}
      lead={t(isForGood ? 'revokeLead' : 'suspendLead')}
      command={{ mutateAsync: (comment) => edit.mutateAsync({ status: next, ...comment }) }}
      done={t('statusChanged')}
      variant="light"
      color={isForGood ? 'red' : 'yellow'}
    />
  );
}

/** Changes the name; its representatives change the Latin one. */
export function Rename({ organization }: Subject) {
  const t = useTexts(texts);
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button size="xs" variant="default" aria-haspopup="dialog" onClick={open}>
        {t('rename')}
      </Button>
      <Modal opened={isOpen} onClose={close} title={t('renameTitle')} centered>
        {isOpen && <NameForm organization={organization} onDone={close} />}
      </Modal>
    </>
  );
}

function NameForm({ organization, onDone }: Subject & { readonly onDone: () => void }) {
  const t = useTexts(texts);
  const [name, setName] = useState(organization.name);
  const edit = useEdit(organization);
  return (
    <CommandForm
      command={edit}
      input={{ name: name.trim() }}
      done={t('saved')}
      onClose={onDone}
      verb={t('save')}
      disabled={name.trim() === ''}
    >
      <TextInput
        label={t('name')}
        required
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
    </CommandForm>
  );
}
