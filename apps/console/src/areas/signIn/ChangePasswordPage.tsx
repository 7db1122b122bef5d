import { Anchor } from '@mantine/core';
import { returnAddress, signOut } from '../../app/visitor.ts';
import { useTexts } from '../../shared/texts.ts';
import { Frame } from './Frame.tsx';
import { PasswordForm } from '../../shared/ui/PasswordForm.tsx';
import { texts } from './texts.ts';

/** Required change of a password that another operator has set. */
export default function ChangePasswordPage() {
  const t = useTexts(texts);
  return (
    <Frame title={t('changeTitle')} lead={t('changeLead')}>
      <PasswordForm onDone={() => location.assign(returnAddress())} />
      <Anchor component="button" type="button" size="sm" onClick={() => void signOut()}>
        {t('signOut')}
      </Anchor>
    </Frame>
  );
}
