import { useWaits } from '../../shared/approvals.tsx';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { useTexts } from '../../shared/texts.ts';
import { ActionButton, useAct } from '../../shared/ui/ActionButton.tsx';
import { Can, Section } from '../../shared/ui/parts.tsx';
import type { Party } from './settings.ts';
import { texts } from './texts.ts';

const address = '/v3/admin/relying-parties/{id}/seal-organizations';
const touches = ['/v3/admin/relying-parties', '/v3/admin/approvals'];

/** Organizations the relying party seals for. */
export function Sealing({ party, isPast }: { readonly party: Party; readonly isPast: boolean }) {
  const t = useTexts(texts);
  const { sealOrganizations } = party;
  return (
    <Section title={t('sealing')}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t(sealOrganizations.length === 0 ? 'sealingNone' : 'sealingHelp')}
        </Text>
        {sealOrganizations.map((orgEtsi) => (
          <Group key={orgEtsi} justify="space-between">
            <Text ff="monospace">{orgEtsi}</Text>
            {!isPast && (
              <Can capability="rp:write">
                <Withdraw party={party} orgEtsi={orgEtsi} />
              </Can>
            )}
          </Group>
        ))}
        {!isPast && (
          <Can capability="rp:write">
            <Allow party={party} />
          </Can>
        )}
      </Stack>
    </Section>
  );
}

function Withdraw({ party, orgEtsi }: { readonly party: Party; readonly orgEtsi: string }) {
  const t = useTexts(texts);
  const withdraw = useCommand({
    run: () =>
      api.DELETE(`${address}/{orgEtsi}`, {
        params: { path: { id: party.relyingPartyUUID, orgEtsi } },
      }),
    touches,
  });
  return (
    <ActionButton
      size="xs"
      color="red"
      variant="light"
      aria-label={`${t('withdrawSealing')}: ${orgEtsi}`}
      command={withdraw}
      done={t('sealingWithdrawn')}
    >
      {t('withdrawSealing')}
    </ActionButton>
  );
}

function Allow({ party }: { readonly party: Party }) {
  const t = useTexts(texts);
  const act = useAct();
  const [orgEtsi, setOrgEtsi] = useState('');
  const isWaiting = useWaits();
  const allow = useCommand({
    run: (organization: string) =>
      api.POST(address, {
        params: { path: { id: party.relyingPartyUUID } },
        body: { orgEtsi: organization },
      }),
    touches,
  });
  async function add() {
    if (await act(allow.mutateAsync(orgEtsi.trim()), t('sealingAllowed'))) setOrgEtsi('');
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <Group align="end">
        <TextInput
          label={t('organization')}
          placeholder="NTRMN-5512345"
          value={orgEtsi}
          maxLength={40}
          required
          onChange={(event) => setOrgEtsi(event.currentTarget.value)}
        />
        <Button type="submit" variant="light" disabled={isWaiting} loading={allow.isPending}>
          {t('allowSealing')}
        </Button>
      </Group>
    </form>
  );
}
