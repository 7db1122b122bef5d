import { useAccount } from '../../shared/account.ts';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { changedFields } from '../../shared/changedFields.ts';
import { useTexts } from '../../shared/texts.ts';
import { EditButton } from '../../shared/ui/EditButton.tsx';
import { RotateSecret as NewSecret } from '../../shared/ui/RotateSecret.tsx';
import { type Commented, SensitiveButton } from '../../shared/ui/SensitiveButton.tsx';
import { clientEnvironment } from '../../../../../api/pages/clientEnvironment.ts';
import { settingsIn } from '../../shared/settings/settings.ts';
import { type Party, type Settings, settings } from './settings.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { texts } from './texts.ts';

const touches = ['/v3/admin/relying-parties'];
const at = (party: Party) => ({ path: { id: party.relyingPartyUUID } });

/** Deactivates the relying party: its calls are refused. */
export function Deactivate({ party }: { readonly party: Party }) {
  const t = useTexts(texts);
  const deactivate = useCommand({
    run: (body: Commented) =>
      api.POST('/v3/admin/relying-parties/{id}/deactivate', { params: at(party), body }),
    touches,
  });
  return (
    <SensitiveButton
      reviewedAs="relyingParty.deactivate"
      verb={t('deactivate')}
      name={party.relyingPartyName}
      lead={t('deactivateLead')}
      command={deactivate}
      done={t('deactivated')}
      color="red"
      variant="light"
    />
  );
}

/** Reactivates the relying party, under four eyes where the policy requires it. */
export function Reactivate({ party }: { readonly party: Party }) {
  const t = useTexts(texts);
  const reactivate = useCommand({
    run: (body: Commented) =>
      api.POST('/v3/admin/relying-parties/{id}/reactivate', { params: at(party), body }),
    touches,
  });
  return (
    <SensitiveButton
      reviewedAs="relyingParty.reactivate"
      verb={t('reactivate')}
      name={party.relyingPartyName}
      lead={t('reactivateLead')}
      command={reactivate}
      done={t('reactivated')}
    />
  );
}

/** Issues a new secret that replaces the current one, shown once. */
export function RotateSecret({ party }: { readonly party: Party }) {
  const { relyingPartyApi } = useAccount();
  const rotate = useCommand({
    run: (body: Commented) =>
      api.POST('/v3/admin/relying-parties/{id}/rotate-secret', { params: at(party), body }),
    touches,
  });
  const handOver = useCommand({
    run: (body: Commented) =>
      api.POST('/v3/admin/relying-parties/{id}/hand-over-secret', { params: at(party), body }),
    touches,
  });
  const { relyingPartyUUID: id, relyingPartyName: name } = party;
  return (
    <NewSecret
      reviewedAs="relyingParty.rotateSecret"
      id={id}
      name={name}
      command={rotate}
      handOver={handOver}
      secretOf={(issued) => issued.apiSecret}
      environment={(secret) => clientEnvironment({ api: relyingPartyApi, id, name, secret })}
    />
  );
}

/** Edits settings in a dialog. */
export function EditSettings({ party }: { readonly party: Party }) {
  const t = useTexts(texts);
  const edit = useCommand({
    run: (wanted: Settings) =>
      api.PATCH('/v3/admin/relying-parties/{id}', {
        params: at(party),
        body: changedFields(settingsIn(settings, party), wanted),
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
        <SettingsForm {...dialog} initial={settingsIn(settings, party)} action={t('save')} />
      )}
    />
  );
}
