import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { useRead } from '../../shared/api/useRead.ts';
import { useTexts } from '../../shared/texts.ts';
import { usePathParams } from '../../shared/usePathParams.ts';
import { ConfirmByTyping } from '../../shared/ui/ConfirmByTyping.tsx';
import { DetailPage } from '../../shared/ui/DetailPage.tsx';
import { FourEyesNotice, useTellOutcome } from '../../shared/ui/FourEyes.tsx';
import { Can, FactList, Section, StatusBadge, Timestamp } from '../../shared/ui/parts.tsx';
import { texts } from './texts.ts';

const ADDRESS = '/v3/admin/relying-parties/{id}';

export default function RelyingPartyPage() {
  const t = useTexts(texts);
  const { id } = usePathParams('id');
  const source = useRead(ADDRESS, { params: { path: { id } } });
  return (
    <DetailPage
      source={source}
      title={(party) => party.relyingPartyName}
      back={{ to: '/relying-parties', label: t('nav') }}
      actions={(party) => (
        <Can capability="rp:write">
          {party.active && <Deactivate id={id} name={party.relyingPartyName} />}
        </Can>
      )}
    >
      {(party) => (
        <Stack>
          <Section title={t('settings')}>
            <FactList
              facts={[
                { label: t('id'), value: party.relyingPartyUUID, copy: party.relyingPartyUUID },
                {
                  label: t('state'),
                  value: (
                    <StatusBadge tone={party.active ? 'good' : 'neutral'}>
                      {t(party.active ? 'active' : 'inactive')}
                    </StatusBadge>
                  ),
                },
                { label: t('permissions'), value: party.permissions.join(', ') },
                { label: t('callbackHosts'), value: party.callbackHosts.join(', ') || '—' },
                { label: t('registeredAt'), value: <Timestamp value={party.registeredAt} /> },
              ]}
            />
          </Section>
        </Stack>
      )}
    </DetailPage>
  );
}

function Deactivate({ id, name }: { readonly id: string; readonly name: string }) {
  const t = useTexts(texts);
  const [isOpen, { open, close }] = useDisclosure(false);
  const tell = useTellOutcome();
  const deactivate = useCommand({
    run: (comment: string | undefined) =>
      api.POST('/v3/admin/relying-parties/{id}/deactivate', {
        params: { path: { id } },
        body: comment === undefined ? {} : { comment },
      }),
    touches: ['/v3/admin/relying-parties'],
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
        name={name}
        withComment
        onConfirm={async (comment) => {
          tell(await deactivate.mutateAsync(comment), t('deactivated'));
        }}
      >
        <Stack gap="sm">
          <span>{t('deactivateLead')}</span>
          <FourEyesNotice />
        </Stack>
      </ConfirmByTyping>
    </>
  );
}
