import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../../shared/account.ts';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { useTexts } from '../../shared/texts.ts';
import { PageHeader, Section } from '../../shared/ui/parts.tsx';
import { SecretOnce } from '../../shared/ui/ShownOnce.tsx';
import { clientEnvironment } from '../../../../../api/pages/clientEnvironment.ts';
import type { Settings } from './settings.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { texts } from './texts.ts';

interface Registered {
  readonly id: string;
  readonly name: string;
  readonly secret: string;
}

export default function RegisterPage() {
  const t = useTexts(texts);
  const navigate = useNavigate();
  const { relyingPartyApi } = useAccount();
  const [registered, setRegistered] = useState<Registered | null>(null);
  const register = useCommand({
    run: (settings: Settings) => api.POST('/v3/admin/relying-parties', { body: settings }),
    touches: ['/v3/admin/relying-parties', '/v3/admin/approvals'],
  });

  async function submit(settings: Settings) {
    const outcome = await register.mutateAsync(settings);
    if (outcome.kind === 'pending') {
      await navigate({ to: `/approvals/${outcome.approval.id}` });
      return;
    }
    const { relyingPartyUUID: id, relyingPartyName: name, apiSecret: secret } = outcome.data;
    setRegistered({ id, name, secret });
  }

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
          onSubmit={submit}
          onCancel={() => void navigate({ to: '/relying-parties' })}
        />
      </Section>
      <SecretOnce
        secret={registered?.secret ?? null}
        variables={
          registered === null ? {} : clientEnvironment({ api: relyingPartyApi, ...registered })
        }
        fileName={`${registered?.id ?? ''}.env`}
        onClose={() => void navigate({ to: `/relying-parties/${registered?.id ?? ''}` })}
      />
    </>
  );
}
