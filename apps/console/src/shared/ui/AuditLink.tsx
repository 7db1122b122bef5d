import { Button } from '@mantine/core';
import { IconListSearch } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';
import { Can } from './parts.tsx';

/** Link to the whole audit of a record, who looked at it included. @param subject as named by the audit */
export function AuditLink({ subject }: { readonly subject: string }) {
  const t = useTexts(sharedTexts);
  return (
    <Can capability="audit:read">
      <Button
        component={Link}
        to="/audit"
        search={{ subject, reads: 'true' } as never}
        variant="default"
        leftSection={<IconListSearch size={16} aria-hidden />}
      >
        {t('auditTrail')}
      </Button>
    </Can>
  );
}
