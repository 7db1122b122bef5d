import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { useTexts } from '../../shared/texts.ts';
import { ConfirmByTyping } from '../../shared/ui/ConfirmByTyping.tsx';
import { FourEyesNotice, useTellOutcome } from '../../shared/ui/FourEyes.tsx';
import type { Citizen } from './DetailPage.tsx';
import { texts } from './texts.ts';

/** Destroys what is personal about a citizen, for good. The civil id is typed: it stays, the name does not. */
export function Forget({ citizen: { etsi, civilId } }: { readonly citizen: Citizen }) {
  const t = useTexts(texts);
  const [isOpen, { open, close }] = useDisclosure(false);
  const tell = useTellOutcome();
  const forget = useCommand({
    run: (comment: string | undefined) =>
      api.POST('/v3/admin/users/{etsi}/forget', {
        params: { path: { etsi } },
        body: comment === undefined ? {} : { comment },
      }),
    touches: ['/v3/admin/users', '/v3/admin/devices', '/v3/admin/certificates', '/v3/admin/audit'],
  });
  return (
    <>
      <Button color="red" variant="light" onClick={open}>
        {t('forget')}
      </Button>
      <ConfirmByTyping
        opened={isOpen}
        onClose={close}
        title={t('forget')}
        action={t('forget')}
        name={civilId}
        withComment
        onConfirm={async (comment) => tell(await forget.mutateAsync(comment), t('forgetDone'))}
      >
        <Stack gap="sm">
          <span>{t('forgetLead')}</span>
          <FourEyesNotice />
        </Stack>
      </ConfirmByTyping>
    </>
  );
}
