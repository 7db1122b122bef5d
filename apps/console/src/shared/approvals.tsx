import { Alert, Anchor, Text } from '@mantine/core';
import { IconClockPause } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { readAgain } from './api/useCommand.ts';
import { type RowOf, useRead } from './api/useRead.ts';
import { approvalTexts } from './approvalWords.ts';
import { Name, NamesOf } from './names.tsx';
import { sharedTexts } from './sharedTexts.ts';
import { useTexts } from './texts.ts';
import { Timestamp } from './ui/parts.tsx';

export type Approval = RowOf<'/v3/admin/approvals'>;

/** Polling interval of the inbox, ms. */
export const INBOX_EVERY_MS = 10_000;

/** Polling interval of one approval until it has ended, ms. */
export const FOLLOW_EVERY_MS = 2500;

/** True while something can still become of an approval. */
export function isOpen({ status }: Pick<Approval, 'status'>): boolean {
  return status === 'PENDING' || status === 'APPROVED';
}

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
function usePending(subject: string | undefined) {
  const { data, isPlaceholderData } = useRead(
    '/v3/admin/approvals',
    { params: { query: { subject: subject ?? '', status: 'PENDING', limit: 10 } } },
    { enabled: subject !== undefined, every: INBOX_EVERY_MS },
  );
  return subject === undefined || isPlaceholderData ? undefined : data;
}

const WaitsContext = createContext(false);

/** Gives what shows a record whether a command on it waits for approval. */
export function Waits({
  subject,
  children,
}: {
  readonly subject: string | undefined;
  readonly children: ReactNode;
}) {
  const pending = usePending(subject);
  return <WaitsContext value={pending !== undefined && pending.total > 0}>{children}</WaitsContext>;
}

/** True while a command on the record that is shown waits for approval: nothing is asked for twice. */
export function useWaits(): boolean {
  return use(WaitsContext);
}

/** Ids of the approvals that waited while the page was open, and wait no more. */
function useDecided(pending: ReturnType<typeof usePending>): readonly string[] {
  const [seen, setSeen] = useState<readonly string[]>([]);
  if (pending === undefined) return [];
  const waiting = pending.items.map(({ id }) => id);
  const fresh = waiting.filter((id) => !seen.includes(id));
  if (fresh.length > 0) setSeen([...seen, ...fresh]);
  return seen.filter((id) => !waiting.includes(id));
}

/** Reads the page again once a decided command has ended: carried out, or not. */
function Decided({ id }: { readonly id: string }) {
  const queries = useQueryClient();
  const { data } = useRead(
    '/v3/admin/approvals/{id}',
    { params: { path: { id } } },
    { every: FOLLOW_EVERY_MS, until: (approval) => !isOpen(approval) },
  );
  const hasEnded = data !== undefined && !isOpen(data);
  useEffect(() => {
    if (hasEnded) void readAgain(queries, ['/v3/admin/']);
  }, [hasEnded, queries]);
  return null;
}

/**
 * Notices on the page of a record: each command that waits for approval, who asked and when. The page is read again once
 * one of them is carried out.
 */
export function PendingNotices({ subject }: { readonly subject: string | undefined }) {
  const pending = usePending(subject);
  const decided = useDecided(pending);
  const t = useTexts(sharedTexts);
  const words = useTexts(approvalTexts);
  return (
    <NamesOf answer={pending}>
      {decided.map((id) => (
        <Decided key={id} id={id} />
      ))}
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
