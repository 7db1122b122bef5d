import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { ReasonSelect } from '../../shared/records/ReasonSelect.tsx';
import { useTexts } from '../../shared/texts.ts';
import { ConfirmByTyping } from '../../shared/ui/ConfirmByTyping.tsx';
import { FourEyesNotice, useTellOutcome } from '../../shared/ui/FourEyes.tsx';
import type { Device } from './DetailPage.tsx';
import { texts } from './texts.ts';

/** keyCompromise: a phone is deactivated because it is lost. */
const LOST = 1;

/** Ends a phone and its certificates. */
export function Deactivate({ device: { documentNumber } }: { readonly device: Device }) {
  const t = useTexts(texts);
  const [isOpen, { open, close }] = useDisclosure(false);
  const [reason, setReason] = useState<number>(LOST);
  const tell = useTellOutcome();
  const deactivate = useCommand({
    run: (comment: string | undefined) =>
      api.POST('/v3/admin/devices/{documentNumber}/deactivate', {
        params: { path: { documentNumber } },
        body: { reason: reason, ...(comment === undefined ? {} : { comment }) },
      }),
    touches: ['/v3/admin/devices', '/v3/admin/users', '/v3/admin/certificates', '/v3/admin/audit'],
  });
  return (
    <>
      <Button color="red" variant="light" onClick={open}>
        {t('deactivate')}
      </Button>
      <ConfirmByTyping
        opened={isOpen}
        onClose={close}
        title={t('deactivate')}
        action={t('deactivate')}
        name={documentNumber}
        withComment
        onConfirm={async (comment) => tell(await deactivate.mutateAsync(comment), t('deactivated'))}
      >
        <Stack gap="sm">
          <span>{t('deactivateLead')}</span>
          <FourEyesNotice />
          <ReasonSelect value={reason} onChange={setReason} />
        </Stack>
      </ConfirmByTyping>
    </>
  );
}
