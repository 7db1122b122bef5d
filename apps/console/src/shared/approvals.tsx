import { Alert, Anchor, Text } from '@mantine/core';
import { IconClockPause } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type RowOf, useRead } from './api/useRead.ts';
import { approvalTexts } from './approvalWords.ts';
import { Name, NamesOf } from './names.tsx';
import { sharedTexts } from './sharedTexts.ts';
import { useTexts } from './texts.ts';
import { Timestamp } from './ui/parts.tsx';

export type Approval = RowOf<'/v3/admin/approvals'>;

/** Polling interval of the inbox, ms. */
export const INBOX_EVERY_MS = 10_000;

/** Number of approvals that wait for the decision of the current operator. */
export function useInboxCount(): number | undefined {
  const { data } = useRead(
    '/v3/admin/approvals',
    { params: { query: { decidable: 'true', limit: 1 } } },
    { every: INBOX_EVERY_MS },
  );
  return data?.total;
}

/** Approvals asked for a record, that nobody has decided yet. @param subject id of the record; undefined: none */
export function usePending(subject: string | undefined) {
  const { data, isPlaceholderData } = useRead(
    '/v3/admin/approvals',
    { params: { query: { subject: subject ?? '', status: 'PENDING', limit: 10 } } },
    { enabled: subject !== undefined, every: INBOX_EVERY_MS },
  );
  return subject === undefined || isPlaceholderData ? undefined : data;
}

/** Notices on the page of a record: each command that waits for approval, who asked and when. */
export function PendingNotices({ subject }: { readonly subject: string | undefined }) {
  const pending = usePending(subject);
  const t = useTexts(sharedTexts);
  const words = useTexts(approvalTexts);
  return (
    <NamesOf answer={pending}>
      {pending?.items.map(({ id, operation, requestedBy, requestedAt }) => (
        <Alert
          key={id}
          mb="md"
          variant="light"
          color="yellow"
          icon={<IconClockPause aria-hidden />}
          title={words(operation)}
        >
          <Text size="sm" component="div">
            {t('waits')} <Name id={requestedBy} /> · <Timestamp value={requestedAt} />
          </Text>
          <Anchor component={Link} to={`/approvals/${id}`} size="sm" c="inherit" underline="always">
            {t('seeApproval')}
          </Anchor>
        </Alert>
      ))}
    </NamesOf>
  );
}
