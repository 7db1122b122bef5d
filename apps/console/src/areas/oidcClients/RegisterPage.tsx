import { TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../../shared/account.ts';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { oidcEnvironment } from '../../../../../api/pages/clientEnvironment.ts';
import { useTexts } from '../../shared/texts.ts';
import { PageHeader, Section } from '../../shared/ui/parts.tsx';
import { HandOverChoice } from '../../shared/ui/HandOverChoice.tsx';
import { type HandOver, LinkOnce, SecretOnce } from '../../shared/ui/ShownOnce.tsx';
import { RelyingPartySelect } from './RelyingPartySelect.tsx';
import { hasSecret, type Settings } from './settings.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { texts } from './texts.ts';

interface Registered {
  readonly clientId: string;
  /** Null: a link hands it over. */
  readonly secret: string | null;
  readonly link: HandOver | null;
}

export default function RegisterPage() {
  const t = useTexts(texts);
  const navigate = useNavigate();
  const { openIdIssuer: issuer } = useAccount();
  const [party, setParty] = useState<string | null>(null);
  const [sector, setSector] = useState('');
  const [byLink, setByLink] = useState(false);
  const [registered, setRegistered] = useState<Registered | null>(null);
  const toClient = (clientId: string) => void navigate({ to: `/oidc-clients/${clientId}` });
  const register = useCommand({
    run: (settings: Settings) =>
      api.POST('/v3/admin/oidc-clients', {
        body: {
          relyingPartyUUID: party ?? '',
          ...settings,
          ...(sector.trim() !== '' && { sector: sector.trim() }),
          ...(byLink && hasSecret(settings.authMethod) && { byLink }),
        },
      }),
    touches: ['/v3/admin/oidc-clients', '/v3/admin/approvals'],
  });

  async function submit(settings: Settings) {
    const outcome = await register.mutateAsync(settings);
    if (outcome.kind === 'pending') {
      await navigate({ to: `/approvals/${outcome.approval.id}` });
      return;
    }
    const { data } = outcome;
    if ('handOverPath' in data) {
      setRegistered({ clientId: data.clientId, secret: null, link: data });
    } else if (data.clientSecret !== null) {
      setRegistered({ clientId: data.clientId, secret: data.clientSecret, link: null });
    } else {
      notifications.show({ color: 'green', message: t('registered') });
      toClient(data.clientId);
    }
  }

  const close = () => toClient(registered?.clientId ?? '');
  return (
    <>
      <PageHeader
        title={t('registerTitle')}
        lead={t('registerLead')}
        back={{ to: '/oidc-clients', label: t('nav') }}
      />
      <Section title={t('settings')}>
        <SettingsForm
          action={t('register')}
          first={
            <>
              <RelyingPartySelect value={party} onChange={setParty} />
              <TextInput
                label={t('sector')}
                description={t('sectorHelp')}
                value={sector}
                maxLength={255}
                autoComplete="off"
                onChange={({ currentTarget }) => setSector(currentTarget.value)}
              />
            </>
          }
          ofSecret={<HandOverChoice isChosen={byLink} onChoose={setByLink} />}
          isReady={party !== null}
          onSubmit={submit}
          onCancel={() => void navigate({ to: '/oidc-clients' })}
        />
      </Section>
      <SecretOnce
        secret={registered?.secret ?? null}
        variables={registered === null ? {} : oidcEnvironment({ issuer, ...registered })}
        fileName={`${registered?.clientId ?? ''}.env`}
        onClose={close}
      />
      <LinkOnce link={registered?.link ?? null} onClose={close} />
    </>
  );
}
