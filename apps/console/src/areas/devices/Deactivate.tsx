import { useState } from 'react';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { ReasonSelect } from '../../shared/records/ReasonSelect.tsx';
import { useTexts } from '../../shared/texts.ts';
import { type Commented, SensitiveButton } from '../../shared/ui/SensitiveButton.tsx';
import type { Device } from './types.ts';
import { texts } from './texts.ts';

/** keyCompromise: a device is deactivated because it is lost. */
const LOST = 1;

/** Deactivates a device and revokes its certificates. */
export function Deactivate({ device: { documentNumber, owner } }: { readonly device: Device }) {
  const t = useTexts(texts);
  const [reason, setReason] = useState<number>(LOST);
  const deactivate = useCommand({
    run: (comment: Commented) =>
      api.POST('/v3/admin/devices/{documentNumber}/deactivate', {
        params: { path: { documentNumber } },
        body: { reason, ...comment },
      }),
    touches: ['/v3/admin/devices', '/v3/admin/users', '/v3/admin/certificates', '/v3/admin/audit'],
  });
  return (
    <SensitiveButton
      verb={t('deactivate')}
      name={owner.name}
      lead={t('deactivateLead')}
      command={deactivate}
      done={t('deactivated')}
      color="red"
      variant="light"
    >
      <ReasonSelect value={reason} onChange={setReason} />
    </SensitiveButton>
  );
}
