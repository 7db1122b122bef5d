import { useAccount } from '../../shared/account.ts';
import { Modal, Radio, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { Role } from '../../shared/account.ts';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { roleWords } from '../../../../../api/pages/words/operatorWords.ts';
import { useTexts } from '../../shared/texts.ts';
import { ConfirmByTyping } from '../../shared/ui/ConfirmByTyping.tsx';
import { CommandForm } from '../../shared/ui/CommandForm.tsx';
import { FourEyesNotice, useIsReviewed, useNotifyOutcome } from '../../shared/ui/FourEyes.tsx';
import type { Admin } from './types.ts';
import { roles } from './roles.ts';
import { texts } from './texts.ts';

interface ChangeProps {
  readonly admin: Admin;
  readonly onClose: () => void;
}

const touches = ['/v3/admin/admins'];

/** Changes the role, under four eyes where the policy requires it. */
export function ChangeRole({ admin: { id, role: current }, onClose }: ChangeProps) {
  const t = useTexts(texts);
  const [role, setRole] = useState<Role>(current);
  const isAlways = useIsReviewed('operator.changeRole');
  const { reviewedCommands } = useAccount();
  const [comment, setComment] = useState('');
  const change = useCommand({
    run: () =>
      api.PATCH('/v3/admin/admins/{id}', {
        params: { path: { id } },
        body: { role, ...(comment.trim() === '' ? {} : { comment: comment.trim() }) },
      }),
    touches,
  });
  return (
    <Modal opened onClose={onClose} title={t('changeRole')} centered>
      <CommandForm
        command={change}
        input={undefined}
        done={t('roleChanged')}
        onClose={onClose}
        verb={t('changeRole')}
        disabled={role === current}
      >
        <RoleChoice label={t('newRole')} value={role} onChange={setRole} />
        <Textarea
          label={t('comment')}
          value={comment}
          maxLength={500}
          autosize
          minRows={2}
          onChange={({ currentTarget }) => setComment(currentTarget.value)}
        />
        {reviewedCommands.length > 0 && <FourEyesNotice isCertain={isAlways} />}
      </CommandForm>
    </Modal>
  );
}

/** Choice of a role, with a description of each. */
export function RoleChoice({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: Role;
  readonly onChange: (role: Role) => void;
}) {
  const t = useTexts(texts);
  const roleName = useTexts(roleWords);
  return (
    <Radio.Group label={label} value={value} onChange={(next) => onChange(next)}>
      <Stack gap={8} mt={6}>
        {roles.map((each) => (
          <Radio key={each} value={each} label={roleName(each)} description={t(each)} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

export function ResetSecondFactor({ admin: { id, email }, onClose }: ChangeProps) {
  const t = useTexts(texts);
  const tell = useNotifyOutcome();
  const reset = useCommand({
    run: () => api.POST('/v3/admin/admins/{id}/reset-second-factor', { params: { path: { id } } }),
    touches,
  });
  return (
    <ConfirmByTyping
      opened
      onClose={onClose}
      title={t('reset')}
      action={t('reset')}
      name={email}
      onConfirm={async () => tell(await reset.mutateAsync(undefined), t('wasReset'))}
    >
      {t('resetLead')}
    </ConfirmByTyping>
  );
}

export function Deactivate({ admin: { id, email }, onClose }: ChangeProps) {
  const t = useTexts(texts);
  const tell = useNotifyOutcome();
  const deactivate = useCommand({
    run: () => api.POST('/v3/admin/admins/{id}/deactivate', { params: { path: { id } } }),
    touches,
  });
  return (
    <ConfirmByTyping
      opened
      onClose={onClose}
      title={t('deactivate')}
      action={t('deactivate')}
      name={email}
      onConfirm={async () => tell(await deactivate.mutateAsync(undefined), t('deactivated'))}
    >
      {t('deactivateLead')}
    </ConfirmByTyping>
  );
}
