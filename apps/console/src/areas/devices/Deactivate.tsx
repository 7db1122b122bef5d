import { Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { tailOf } from '../../shared/names.tsx';
import { platformWords, useWords } from '../../shared/records/words.ts';
import { ReasonSelect } from '../../shared/records/ReasonSelect.tsx';
import { useTexts } from '../../shared/texts.ts';
import { useFormats } from '../../shared/ui/parts.tsx';
import { type Commented, SensitiveButton } from '../../shared/ui/SensitiveButton.tsx';
import type { Device } from './types.ts';
import { texts } from './texts.ts';

/** keyCompromise: a device is deactivated because it is lost. */
const LOST = 1;

/** Deactivates a device and revokes its certificates. */
export function Deactivate({
  device: { documentNumber, owner, platform, enrolledAt },
}: {
  readonly device: Device;
}) {
  const platformWord = useWords(platformWords);
  const { date } = useFormats();
  const tail = tailOf(documentNumber);
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
      reviewedAs="device.deactivate"
      verb={t('deactivate')}
      name={owner.name}
      lead={t('deactivateLead')}
      command={deactivate}
      done={t('deactivated')}
      color="red"
      variant="light"
    >
      <Text size="sm" fw={600}>
        {[platformWord(platform), date(enrolledAt), `…${tail}`].join(' · ')}
      </Text>
      <ReasonSelect value={reason} onChange={setReason} />
    </SensitiveButton>
  );
}
