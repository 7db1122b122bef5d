import { useAccount } from '../../shared/account.ts';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { oidcEnvironment } from '../../../../../api/pages/clientEnvironment.ts';
import { changedFields } from '../../shared/changedFields.ts';
import { useTexts } from '../../shared/texts.ts';
import { ActionButton } from '../../shared/ui/ActionButton.tsx';
import { EditButton } from '../../shared/ui/EditButton.tsx';
import { RotateSecret as NewSecret } from '../../shared/ui/RotateSecret.tsx';
import { type Commented, SensitiveButton } from '../../shared/ui/SensitiveButton.tsx';
import { type Client, methodsLike, type Settings, settings } from './settings.ts';
import { settingsIn } from '../../shared/settings/settings.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { texts } from './texts.ts';

const touches = ['/v3/admin/oidc-clients'];
const at = ({ clientId }: Client) => ({ path: { clientId } });

/** Deactivates the client: no further logins. */
export function Deactivate({ client }: { readonly client: Client }) {
  const t = useTexts(texts);
  const deactivate = useCommand({
    run: (body: Commented) =>
      api.POST('/v3/admin/oidc-clients/{clientId}/deactivate', { params: at(client), body }),
    touches,
  });
  return (
    <SensitiveButton
      reviewedAs="oidcClient.deactivate"
      verb={t('deactivate')}
      name={client.name}
      lead={t('deactivateLead')}
      command={deactivate}
      done={t('deactivated')}
      color="red"
      variant="light"
    />
  );
}

/** Reactivates the client. */
export function Reactivate({ client }: { readonly client: Client }) {
  const t = useTexts(texts);
  const reactivate = useCommand({
    run: () => api.POST('/v3/admin/oidc-clients/{clientId}/reactivate', { params: at(client) }),
    touches,
  });
  return (
    <ActionButton command={reactivate} done={t('reactivated')}>
      {t('reactivate')}
    </ActionButton>
  );
}

/** Issues a new secret that replaces the current one, shown once. */
export function RotateSecret({ client }: { readonly client: Client }) {
  const { openIdIssuer: issuer } = useAccount();
  const rotate = useCommand({
    run: (body: Commented) =>
      api.POST('/v3/admin/oidc-clients/{clientId}/rotate-secret', { params: at(client), body }),
    touches,
  });
  const handOver = useCommand({
    run: (body: Commented) =>
      api.POST('/v3/admin/oidc-clients/{clientId}/hand-over-secret', { params: at(client), body }),
    touches,
  });
  const { clientId, name } = client;
  return (
    <NewSecret
      reviewedAs="oidcClient.rotateSecret"
      id={clientId}
      name={name}
      command={rotate}
      handOver={handOver}
      secretOf={(issued) => issued.clientSecret}
      environment={(secret) => oidcEnvironment({ issuer, clientId, secret })}
    />
  );
}

/** Edits settings in a dialog. */
export function EditSettings({ client }: { readonly client: Client }) {
  const t = useTexts(texts);
  const edit = useCommand({
    run: (wanted: Settings) =>
      api.PATCH('/v3/admin/oidc-clients/{clientId}', {
        params: at(client),
        body: changedFields(settingsIn(settings, client), wanted),
      }),
    touches,
  });
  return (
    <EditButton
      verb={t('edit')}
      title={t('editTitle')}
      command={edit}
      done={t('saved')}
      form={(dialog) => (
        <SettingsForm
          {...dialog}
          initial={settingsIn(settings, client)}
          methods={methodsLike(client.authMethod)}
          action={t('save')}
        />
      )}
    />
  );
}
