import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useState } from 'react';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { approvalTexts } from '../../shared/approvalWords.ts';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useTexts } from '../../shared/texts.ts';
import { CommandForm } from '../../shared/ui/CommandForm.tsx';
import { Effects, useNotifyOutcome } from '../../shared/ui/FourEyes.tsx';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import { Afterwards } from './parts.tsx';
import type { FullApproval } from './types.ts';
import { texts } from './texts.ts';

/** An approved command may change any resource. */
const touches = ['/v3/admin/'];

/** Opens a dialog unless one is open. */
const unlessDeciding = (open: () => void) => () => {
  if (document.querySelector('[role=dialog]') === null) open();
};

/** Approves, after a confirmation that shows the effects. */
export function Approve({ approval }: { readonly approval: FullApproval }) {
  const t = useTexts(texts);
  const s = useTexts(sharedTexts);
  const words = useTexts(approvalTexts);
  const [isOpen, { open, close }] = useDisclosure(false);
  useHotkeys([['alt+A', unlessDeciding(open), { usePhysicalKeys: true }]]);
  const tell = useNotifyOutcome();
  const approve = useCommand({
    run: () =>
      api.POST('/v3/admin/approvals/{id}/approve', { params: { path: { id: approval.id } } }),
    touches,
  });
  async function confirm() {
    tell(await approve.mutateAsync(), t('approved'));
    close();
  }
  return (
    <>
      <Button aria-haspopup="dialog" aria-keyshortcuts="Alt+A" title="Alt+A" onClick={open}>
        {t('approve')}
      </Button>
      <Modal opened={isOpen} onClose={close} title={t('approveTitle')} centered>
        <Stack>
          <Text fw={600}>{words(approval.operation)}</Text>
          <Afterwards approval={approval} />
          <Effects effects={approval.effects} />
          {approve.error !== null && <ProblemAlert error={approve.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {s('cancel')}
            </Button>
            <Button
              data-autofocus
              loading={approve.isPending}
              onClick={() => void confirm().catch(() => undefined)}
            >
              {t('approve')}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

/** Rejects, with a reason. */
export function Reject({ approval }: { readonly approval: FullApproval }) {
  const t = useTexts(texts);
  const [isOpen, { open, close }] = useDisclosure(false);
  useHotkeys([['alt+R', unlessDeciding(open), { usePhysicalKeys: true }]]);
  return (
    <>
      <Button
        variant="default"
        aria-haspopup="dialog"
        aria-keyshortcuts="Alt+R"
        title="Alt+R"
        onClick={open}
      >
        {t('reject')}
      </Button>
      <Modal opened={isOpen} onClose={close} title={t('rejectTitle')} centered>
        {isOpen && <Reason id={approval.id} onDone={close} />}
      </Modal>
    </>
  );
}

function Reason({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const t = useTexts(texts);
  const [reason, setReason] = useState('');
  const reject = useCommand({
    run: (why: string) =>
      api.POST('/v3/admin/approvals/{id}/reject', {
        params: { path: { id } },
        body: { reason: why },
      }),
    touches: ['/v3/admin/approvals'],
  });
  return (
    <CommandForm
      command={reject}
      input={reason.trim()}
      done={t('rejected')}
      onClose={onDone}
      verb={t('reject')}
      color="red"
      disabled={reason.trim() === ''}
    >
      <Textarea
        label={t('rejectReason')}
        required
        data-autofocus
        autosize
        minRows={3}
        maxLength={500}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </CommandForm>
  );
}
