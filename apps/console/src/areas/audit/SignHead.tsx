import { Button } from '@mantine/core';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { useTexts } from '../../shared/texts.ts';
import { useNotifyOutcome } from '../../shared/ui/FourEyes.tsx';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import { texts } from './texts.ts';

/** Requests a signed tree head over the current log. */
export function SignHead() {
  const t = useTexts(texts);
  const tell = useNotifyOutcome();
  const sign = useCommand({
    run: () => api.POST('/v3/admin/audit/tree-head'),
    touches: ['/v3/admin/audit/tree-head', '/v3/admin/audit/proof'],
  });
  return (
    <>
      <Button
        variant="default"
        loading={sign.isPending}
        onClick={() =>
          sign.mutate(undefined, { onSuccess: (outcome) => tell(outcome, t('signed')) })
        }
      >
        {t('sign')}
      </Button>
      {sign.error !== null && <ProblemAlert error={sign.error} />}
    </>
  );
}
