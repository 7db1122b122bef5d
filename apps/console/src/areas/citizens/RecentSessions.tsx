import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRead } from '../../shared/api/useRead.ts';
import { SessionTable } from '../../shared/records/sessions.tsx';
import { useTexts } from '../../shared/texts.ts';
import { Can, Section } from '../../shared/ui/parts.tsx';
import { texts } from './texts.ts';

/** Number of sessions shown; the others are linked. */
const SHOWN = 5;

/** Sessions of a citizen, the latest first. */
export function RecentSessions({ etsi }: { readonly etsi: string }) {
  return (
    <Can capability="session:read">
      <Sessions etsi={etsi} />
    </Can>
  );
}

function Sessions({ etsi }: { readonly etsi: string }) {
  const t = useTexts(texts);
  const source = useRead('/v3/admin/sessions', {
    params: { query: { q: etsi, limit: SHOWN, offset: 0 } },
  });
  return (
    <Section
      title={t('sessions')}
      actions={
        <Anchor component={Link} to="/sessions" search={{ q: etsi } as never} size="sm">
          {t('allSessions')}
        </Anchor>
      }
    >
      <SessionTable label={t('sessions')} source={source} isWhole hidePerson />
    </Section>
  );
}
