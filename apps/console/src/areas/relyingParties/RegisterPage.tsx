import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../../shared/account.ts';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { useTexts } from '../../shared/texts.ts';
import { PageHeader, Section } from '../../shared/ui/parts.tsx';
import { HandOverChoice } from '../../shared/ui/HandOverChoice.tsx';
import { type HandOver, LinkOnce, SecretOnce } from '../../shared/ui/ShownOnce.tsx';
import { clientEnvironment } from '../../../../../api/pages/clientEnvironment.ts';
import type { Settings } from './settings.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { texts } from './texts.ts';

interface Registered {
  readonly id: string;
  readonly name: string;
  /** Null: a link hands it over. */
  readonly secret: string | null;
  readonly link: HandOver | null;
}

export default function RegisterPage() {
  const t = useTexts(texts);
  const navigate = useNavigate();
  const { relyingPartyApi } = useAccount();
  const [registered, setRegistered] = useState<Registered | null>(null);
  const [byLink, setByLink] = useState(false);
  const register = useCommand({
    run: (settings: Settings) =>
      api.POST('/v3/admin/relying-parties', { body: { ...settings, ...(byLink && { byLink }) } }),
    touches: ['/v3/admin/relying-parties', '/v3/admin/approvals'],
  });

  async function submit(settings: Settings) {
    const outcome = await register.mutateAsync(settings);
    if (outcome.kind === 'pending') {
      await navigate({ to: `/approvals/${outcome.approval.id}` });
      return;
    }
    const { data } = outcome;
    const made =
      'apiSecret' in data ? { secret: data.apiSecret, link: null } : { secret: null, link: data };
    setRegistered({ id: data.relyingPartyUUID, name: data.relyingPartyName, ...made });
  }

  const close = () => void navigate({ to: `/relying-parties/${registered?.id ?? ''}` });
  return (
    <>
      <PageHeader
        title={t('registerTitle')}
        lead={t('registerLead')}
        back={{ to: '/relying-parties', label: t('nav') }}
      />
      <Section title={t('settings')}>
        <SettingsForm
          action={t('register')}
          last={<HandOverChoice isChosen={byLink} onChoose={setByLink} />}
          onSubmit={submit}
          onCancel={() => void navigate({ to: '/relying-parties' })}
        />
      </Section>
      <SecretOnce
        secret={registered?.secret ?? null}
        variables={
          registered === null
            ? {}
            : clientEnvironment({
                api: relyingPartyApi,
                ...registered,
                secret: registered.secret ?? '',
              })
        }
        fileName={`${registered?.id ?? ''}.env`}
        onClose={close}
      />
      <LinkOnce link={registered?.link ?? null} onClose={close} />
    </>
  );
}
