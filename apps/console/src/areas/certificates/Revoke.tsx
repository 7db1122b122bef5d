import { Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { ReasonSelect } from '../../shared/records/ReasonSelect.tsx';
import { tailOf } from '../../shared/names.tsx';
import { useHolderName } from '../../shared/records/tables.tsx';
import { certificateTypeWords, useWords } from '../../shared/records/words.ts';
import type { CertificateRow } from '../../shared/records/statuses.tsx';
import { useTexts } from '../../shared/texts.ts';
import { useFormats } from '../../shared/ui/parts.tsx';
import { type Commented, SensitiveButton } from '../../shared/ui/SensitiveButton.tsx';
import { texts } from './texts.ts';

/** Reason code of RFC 5280 §5.3.1. */
const CERTIFICATE_HOLD = 6;
const KEY_COMPROMISE = 1;

type Action = 'revoke' | 'suspend';

const dones = { revoke: 'revokedDone', suspend: 'suspendedDone' } as const;
const leads = { revoke: 'revokeLead', suspend: 'suspendLead' } as const;

/** Revokes a certificate or puts it on hold; nothing for one that has ended. */
export function Revoke({
  certificate,
  only,
}: {
  readonly certificate: CertificateRow;
  /** Leaves out the other action. */
  readonly only?: 'revoke';
}) {
  const { status } = certificate;
  const canSuspend = status === 'VALID' || status === 'SUPERSEDED';
  return (
    <>
      {canSuspend && only === undefined && <EndButton certificate={certificate} action="suspend" />}
      {(canSuspend || status === 'SUSPENDED') && (
        <EndButton certificate={certificate} action="revoke" />
      )}
    </>
  );
}

function EndButton({
  certificate: { serial, type, holder, notBefore, notAfter },
  action,
}: {
  readonly certificate: CertificateRow;
  readonly action: Action;
}) {
  const t = useTexts(texts);
  const holderName = useHolderName();
  const typeWord = useWords(certificateTypeWords);
  const { date } = useFormats();
  const tail = tailOf(serial);
  const [reason, setReason] = useState<number>(KEY_COMPROMISE);
  const end = useCommand({
    run: (comment: Commented) =>
      api.POST('/v3/admin/certificates/{serial}/revoke', {
        params: { path: { serial } },
        body: { reason: action === 'suspend' ? CERTIFICATE_HOLD : reason, ...comment },
      }),
    touches: ['/v3/admin/certificates', '/v3/admin/devices', '/v3/admin/users', '/v3/admin/audit'],
  });
  const look = action === 'revoke' ? { color: 'red', variant: 'light' } : { variant: 'default' };
  return (
    <SensitiveButton
      reviewedAs="certificate.revoke"
      verb={t(action)}
      name={holderName(holder)}
      lead={t(leads[action])}
      command={end}
      done={t(dones[action])}
      {...look}
    >
      <Text size="sm" fw={600}>
        {[typeWord(type), `${date(notBefore)} – ${date(notAfter)}`, `…${tail}`].join(' · ')}
      </Text>
      {action === 'revoke' ? (
        <ReasonSelect value={reason} onChange={setReason} />
      ) : (
        <Text size="sm">{t('suspendHint')}</Text>
      )}
    </SensitiveButton>
  );
}
