import { Switch } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../../shared/account.ts';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { useTexts } from '../../shared/texts.ts';
import { PageHeader, Section } from '../../shared/ui/parts.tsx';
import { type HandOver, LinkOnce } from '../../shared/ui/RotateSecret.tsx';
import { SecretOnce } from '../../shared/ui/SecretOnce.tsx';
import { sharedTexts } from '../../shared/sharedTexts.ts';
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
  const s = useTexts(sharedTexts);
  const [isByLink, setByLink] = useState(false);
  const [registered, setRegistered] = useState<Registered | null>(null);
  const [link, setLink] = useState<(HandOver & { readonly id: string }) | null>(null);
  const register = useCommand({
    run: (settings: Settings) => api.POST('/v3/admin/relying-parties', { body: settings }),
    touches: ['/v3/admin/relying-parties', '/v3/admin/approvals'],
  });
  const handOver = useCommand({
    run: (id: string) =>
      api.POST('/v3/admin/relying-parties/{id}/hand-over-secret', { params: { path: { id } } }),
    touches: ['/v3/admin/relying-parties', '/v3/admin/approvals'],
  });

  /** Shows the link; the secret of the registration is told nobody. */
  async function offer(id: string) {
    const outcome = await handOver.mutateAsync(id);
    if (outcome.kind === 'pending') await navigate({ to: `/approvals/${outcome.approval.id}` });
    else setLink({ ...outcome.data, id });
  }

  async function submit(settings: Settings) {
    const outcome = await register.mutateAsync(settings);
    if (outcome.kind === 'pending') {
      await navigate({ to: `/approvals/${outcome.approval.id}` });
      return;
    }
    const { relyingPartyUUID: id, relyingPartyName: name, apiSecret: secret } = outcome.data;
    if (isByLink) await offer(id);
    else setRegistered({ id, name, secret });
  }

  return (
    <>
      <PageHeader
        title={t('registerTitle')}
        lead={t('registerLead')}
        back={{ to: '/relying-parties', label: t('nav') }}
      />
      <Section title={t('settings')}>
        <Switch
          label={s('handOver')}
          description={s('handOverNew')}
          checked={isByLink}
          onChange={({ currentTarget }) => setByLink(currentTarget.checked)}
          mb="md"
        />
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
      <LinkOnce
        link={link}
        onClose={() => void navigate({ to: `/relying-parties/${link?.id ?? ''}` })}
      />
    </>
  );
}
