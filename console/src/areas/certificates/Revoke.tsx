import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { ReasonSelect } from '../../shared/records/ReasonSelect.tsx';
import { useTexts } from '../../shared/texts.ts';
import { ConfirmByTyping } from '../../shared/ui/ConfirmByTyping.tsx';
import { FourEyesNotice, useTellOutcome } from '../../shared/ui/FourEyes.tsx';
import type { Certificate } from './facts.tsx';
import { texts } from './texts.ts';

/** Of RFC 5280 §5.3.1. */
const CERTIFICATE_HOLD = 6;
const KEY_COMPROMISE = 1;

type Action = 'revoke' | 'suspend';

const dones = { revoke: 'revokedDone', suspend: 'suspendedDone' } as const;
const leads = { revoke: 'revokeLead', suspend: 'suspendLead' } as const;

/** Ends a certificate, or puts it on hold; nothing of one that has ended. */
export function Revoke({ certificate: { serial, status } }: { readonly certificate: Certificate }) {
  const canSuspend = status === 'VALID' || status === 'SUPERSEDED';
  return (
    <>
      {canSuspend && <EndButton serial={serial} action="suspend" />}
      {(canSuspend || status === 'SUSPENDED') && <EndButton serial={serial} action="revoke" />}
    </>
  );
}

function EndButton({ serial, action }: { readonly serial: string; readonly action: Action }) {
  const t = useTexts(texts);
  const [isOpen, { open, close }] = useDisclosure(false);
  const [reason, setReason] = useState<number>(KEY_COMPROMISE);
  const tell = useTellOutcome();
  const end = useCommand({
    run: (comment: string | undefined) =>
      api.POST('/v3/admin/certificates/{serial}/revoke', {
        params: { path: { serial } },
        body: {
          reason: action === 'suspend' ? CERTIFICATE_HOLD : reason,
          ...(comment === undefined ? {} : { comment }),
        },
      }),
    touches: ['/v3/admin/certificates', '/v3/admin/devices', '/v3/admin/users', '/v3/admin/audit'],
  });
  const look = action === 'revoke' ? { color: 'red', variant: 'light' } : { variant: 'default' };
  return (
    <>
      <Button {...look} onClick={open}>
        {t(action)}
      </Button>
      <ConfirmByTyping
        opened={isOpen}
        onClose={close}
        title={t(action)}
        action={t(action)}
        name={serial}
        withComment
        onConfirm={async (comment) => tell(await end.mutateAsync(comment), t(dones[action]))}
      >
        <Stack gap="sm">
          <span>{t(leads[action])}</span>
          <FourEyesNotice />
          {action === 'revoke' ? (
            <ReasonSelect value={reason} onChange={setReason} />
          ) : (
            <Text size="sm">{t('suspendHint')}</Text>
          )}
        </Stack>
      </ConfirmByTyping>
    </>
  );
}
