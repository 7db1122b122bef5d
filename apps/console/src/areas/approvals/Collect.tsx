import { Button, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import { useAccount } from '../../shared/account.ts';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { useRead } from '../../shared/api/useRead.ts';
import { clientEnvironment, oidcEnvironment } from '../../../../../api/pages/clientEnvironment.ts';
import { useTexts } from '../../shared/texts.ts';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import { type HandOver, LinkOnce, SecretOnce } from '../../shared/ui/ShownOnce.tsx';
import type { FullApproval } from './types.ts';
import { texts } from './texts.ts';

/** Words for what is collected: a link, the first secret, or one that replaces another. */
function wordsOf({ command: { byLink, settings } }: FullApproval) {
  if (byLink === true) return { lead: 'collectLinkLead', verb: 'collectLink' } as const;
  const lead = settings === undefined ? 'collectLead' : 'collectFirstLead';
  return { lead, verb: 'collect' } as const;
}

/**
 * Executes an approved registration or rotation and shows the new secret to the requester. Stays on the page
 * afterwards, as the secret is shown only once.
 */
export function Collect({ approval }: { readonly approval: FullApproval }) {
  const t = useTexts(texts);
  const { relyingPartyApi, openIdIssuer: issuer } = useAccount();
  const [secret, setSecret] = useState<string | null>(null);
  const [link, setLink] = useState<HandOver | null>(null);
  const id = approval.subject;
  const isRotation = approval.operation === 'relyingParty.rotateSecret';
  const isParty = approval.operation.startsWith('relyingParty.');
  const party = useRead(
    '/v3/admin/relying-parties/{id}',
    { params: { path: { id } } },
    { enabled: isRotation },
  );
  const name = approval.command.settings?.name ?? party.data?.relyingPartyName;
  const collect = useCommand({
    run: () =>
      api.POST('/v3/admin/approvals/{id}/collect', { params: { path: { id: approval.id } } }),
    touches: ['/v3/admin/'],
  });
  const { lead, verb } = wordsOf(approval);
  async function take() {
    const outcome = await collect.mutateAsync();
    if (outcome.kind !== 'done') return;
    const { data } = outcome;
    if ('until' in data) setLink(data);
    else setSecret('clientId' in data ? data.clientSecret : data.apiSecret);
  }
  return (
    <>
      {approval.status === 'APPROVED' && (
        <Stack gap="sm" align="flex-start">
          <Text size="sm">{t(lead)}</Text>
          {collect.error !== null && <ProblemAlert error={collect.error} />}
          <Button
            leftSection={<IconKey size={16} aria-hidden />}
            loading={collect.isPending}
            disabled={isParty && name === undefined}
            onClick={() => void take().catch(() => undefined)}
          >
            {t(verb)}
          </Button>
        </Stack>
      )}
      <SecretOnce
        secret={secret}
        variables={
          isParty
            ? clientEnvironment({
                api: relyingPartyApi,
                id,
                secret: secret ?? '',
                name: name ?? '',
              })
            : oidcEnvironment({ issuer, clientId: id, secret })
        }
        fileName={`${id}.env`}
        onClose={() => setSecret(null)}
      />
      <LinkOnce link={link} onClose={() => setLink(null)} />
    </>
  );
}
