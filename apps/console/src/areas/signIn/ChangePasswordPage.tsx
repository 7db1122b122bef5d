import { Anchor } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { queries, signOut } from '../../app/session.ts';
import { useTexts } from '../../shared/texts.ts';
import { returnSearch } from './search.ts';
import { Frame } from './Frame.tsx';
import { PasswordForm } from '../../shared/ui/PasswordForm.tsx';
import { texts } from './texts.ts';

/** Required change of a password that another operator has set. */
export default function ChangePasswordPage() {
  const t = useTexts(texts);
  const navigate = useNavigate();
  const { return: href } = returnSearch.parse(useSearch({ strict: false }));
  return (
    <Frame title={t('changeTitle')} lead={t('changeLead')}>
      <PasswordForm
        onDone={async () => {
          queries.clear();
          await navigate({ href: href ?? '/' });
        }}
      />
      <Anchor
        component="button"
        type="button"
        size="sm"
        onClick={() => void signOut().finally(() => void navigate({ to: '/login' }))}
      >
        {t('signOut')}
      </Anchor>
    </Frame>
  );
}
