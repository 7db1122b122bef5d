import { Alert, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { findPending, type Pending } from '../../app/visitor.ts';
import { useTexts } from '../../shared/texts.ts';
import { Timestamp } from '../../shared/ui/parts.tsx';
import { texts } from './texts.ts';

/** Interval in which a restored installation is asked whether it was accepted, ms. */
const EVERY_MS = 5000;

/** Says that the installation was restored, and who signs in meanwhile. */
export default function RestoredNotice({ first }: { readonly first: Pending }) {
  const t = useTexts(texts);
  const [pending, setPending] = useState(first);
  useEffect(() => {
    const timer = setInterval(() => void findPending().then(setPending), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  if (pending === null) return null;
  return (
    <Alert variant="light" color="yellow" title={t('restoredTitle')}>
      <Text size="sm">{t('restoredLead')}</Text>
      <Text size="sm">
        {t('restoredOf')} <Timestamp value={pending.madeAt} />
      </Text>
      <Text size="sm">
        {t('restoredFrom')} <Timestamp value={pending.settledAt} />
      </Text>
    </Alert>
  );
}
