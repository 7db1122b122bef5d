import { Button } from '@mantine/core';
import { IconListSearch } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';
import { Can } from './parts.tsx';

/** Link to the audit of a record. @param subject as named by the audit */
export function AuditLink({ subject }: { readonly subject: string }) {
  const t = useTexts(sharedTexts);
  return (
    <Can capability="audit:read">
      <Button
        component={Link}
        to="/audit"
        search={{ subject } as never}
        variant="default"
        leftSection={<IconListSearch size={16} aria-hidden />}
      >
        {t('auditTrail')}
      </Button>
    </Can>
  );
}
