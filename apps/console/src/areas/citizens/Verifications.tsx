import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRead } from '../../shared/api/useRead.ts';
import { VerificationTable } from '../../shared/records/verifications.tsx';
import { useTexts } from '../../shared/texts.ts';
import { Section } from '../../shared/ui/parts.tsx';
import { texts } from './texts.ts';

/** Number of verifications shown; the others are linked. */
const SHOWN = 5;

/** Identity verifications of the citizen, the latest first. */
export function Verifications({ etsi }: { readonly etsi: string }) {
  const t = useTexts(texts);
  const source = useRead('/v3/admin/identity-verifications', {
    params: { query: { q: etsi, limit: SHOWN, offset: 0 } },
  });
  return (
    <Section
      title={t('verifications')}
      actions={
        <Anchor
          component={Link}
          to="/identity-verifications"
          search={{ q: etsi } as never}
          size="sm"
        >
          {t('allVerifications')}
        </Anchor>
      }
    >
      {source.data?.total === 0 ? (
        <Text size="sm" c="dimmed">
          {t('noVerifications')}
        </Text>
      ) : (
        <VerificationTable label={t('verifications')} source={source} isWhole hidePerson />
      )}
    </Section>
  );
}
