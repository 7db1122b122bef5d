import { useWaits } from '../../shared/approvals.tsx';
import { Button, Checkbox, Group, Stack, TagsInput, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { useTexts } from '../../shared/texts.ts';
import { useAct } from '../../shared/ui/ActionButton.tsx';
import { Can, Section } from '../../shared/ui/parts.tsx';
import type { Party } from './settings.ts';
import { texts } from './texts.ts';

/** Names the relying party asks citizens under, beside its registered one. */
export function Names({ party, isPast }: { readonly party: Party; readonly isPast: boolean }) {
  const t = useTexts(texts);
  const { aliases, otherNames } = party;
  return (
    <Section title={t('names')}>
      <Stack>
        <Text>{aliases.length === 0 ? t('namesNone') : aliases.join(' · ')}</Text>
        <Text size="sm" c={otherNames ? 'orange' : 'dimmed'}>
          {t(otherNames ? 'otherNamesAdmitted' : 'otherNamesRefused')}
        </Text>
        {!isPast && (
          <Can capability="rp:write">
            <Edit key={JSON.stringify([aliases, otherNames])} party={party} />
          </Can>
        )}
      </Stack>
    </Section>
  );
}

function Edit({ party }: { readonly party: Party }) {
  const t = useTexts(texts);
  const act = useAct();
  const [aliases, setAliases] = useState(party.aliases);
  const [otherNames, setOtherNames] = useState(party.otherNames);
  const isWaiting = useWaits();
  const set = useCommand({
    run: (body: { readonly aliases: string[]; readonly otherNames: boolean }) =>
      api.PUT('/v3/admin/relying-parties/{id}/names', {
        params: { path: { id: party.relyingPartyUUID } },
        body,
      }),
    touches: ['/v3/admin/relying-parties', '/v3/admin/approvals'],
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void act(set.mutateAsync({ aliases, otherNames }), t('namesSet'));
      }}
    >
      <Stack>
        <TagsInput
          label={t('aliases')}
          description={t('namesHelp')}
          value={aliases}
          maxTags={20}
          splitChars={[]}
          acceptValueOnBlur
          onChange={setAliases}
        />
        <Checkbox
          label={t('otherNames')}
          checked={otherNames}
          onChange={(event) => {
            setOtherNames(event.currentTarget.checked);
          }}
        />
        <Group>
          <Button type="submit" variant="light" disabled={isWaiting} loading={set.isPending}>
            {t('setNames')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
