import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { useTexts } from '../../shared/texts.ts';
import { type Commented, SensitiveButton } from '../../shared/ui/SensitiveButton.tsx';
import type { Citizen } from './types.ts';
import { texts } from './texts.ts';

/**
 * Crypto-shreds a citizen's personal data, irreversibly. Confirmed by typing the civil id, which
 * remains.
 */
export function Forget({ citizen: { etsi, civilId } }: { readonly citizen: Citizen }) {
  const t = useTexts(texts);
  const forget = useCommand({
    run: (body: Commented) =>
      api.POST('/v3/admin/users/{etsi}/forget', { params: { path: { etsi } }, body }),
    touches: ['/v3/admin/users', '/v3/admin/devices', '/v3/admin/certificates', '/v3/admin/audit'],
  });
  return (
    <SensitiveButton
      reviewedAs="person.forget"
      verb={t('forget')}
      name={civilId}
      lead={t('forgetLead')}
      command={forget}
      done={t('forgetDone')}
      color="red"
      variant="light"
    />
  );
}
