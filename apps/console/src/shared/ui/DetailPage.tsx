import { Skeleton, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { PendingNotices, useWaits, Waits } from '../approvals.tsx';
import { NamesOf } from '../names.tsx';
import { AuditLink } from './AuditLink.tsx';
import { PageHeader } from './parts.tsx';
import classes from './parts.module.css';
import { ProblemAlert } from './ProblemAlert.tsx';
import { PastBanner, TimeTravel } from './TimeTravel.tsx';

/** Data of a detail page; a `UseQueryResult` of `useRead` fits. */
export interface DetailSource<Data> {
  readonly data?: Data | undefined;
  /** True while the data belongs to another record or time: it is not shown. */
  readonly isPlaceholderData?: boolean;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/**
 * Page of one record: header, commands, sections. Includes loading and failed states.
 *
 * @example see apps/console/src/areas/relyingParties/DetailPage.tsx
 */
export function DetailPage<Data>({
  source,
  title,
  lead,
  back,
  since,
  subject,
  actions,
  children,
}: {
  readonly source: DetailSource<Data>;
  readonly title: (data: Data) => string;
  readonly lead?: (data: Data) => ReactNode;
  /** List of the record. */
  readonly back: { readonly to: string; readonly label: string };
  /** Creation of the record, ISO 8601, where the page can show its past; the page reads the time with `useAsOf`. */
  readonly since?: (data: Data) => string | undefined;
  /** Subject of its audit, which is linked. */
  readonly subject?: (data: Data) => string;
  readonly actions?: (data: Data) => ReactNode;
  readonly children: (data: Data) => ReactNode;
}) {
  const { error } = source;
  const data = source.isPlaceholderData === true ? undefined : source.data;
  const banner = since !== undefined && <PastBanner />;
  if (data === undefined) {
    return (
      <>
        {banner}
        <PageHeader title={back.label} back={back} />
        {error === null ? (
          <Stack aria-busy>
            <Skeleton height={120} />
            <Skeleton height={220} />
          </Stack>
        ) : (
          <ProblemAlert error={error} onRetry={() => void source.refetch()} />
        )}
      </>
    );
  }
  return (
    <NamesOf answer={data}>
      <Waits subject={subject?.(data)}>
        {banner}
        <PageHeader
          title={title(data)}
          lead={lead?.(data)}
          back={back}
          actions={
            (since ?? subject ?? actions) && (
              <Commands data={data} since={since} subject={subject} actions={actions} />
            )
          }
        />
        <PendingNotices key={subject?.(data)} subject={subject?.(data)} />
        {children(data)}
      </Waits>
    </NamesOf>
  );
}

/** Buttons of a record; its own are off while a command on it waits for approval, so that nothing is asked for twice. */
function Commands<Data>({
  data,
  since,
  subject,
  actions,
}: {
  readonly data: Data;
  readonly since: ((data: Data) => string | undefined) | undefined;
  readonly subject: ((data: Data) => string) | undefined;
  readonly actions: ((data: Data) => ReactNode) | undefined;
}) {
  const isWaiting = useWaits();
  return (
    <>
      {since !== undefined && <TimeTravel since={since(data)} />}
      {subject !== undefined && <AuditLink subject={subject(data)} />}
      <fieldset className={classes.actions} disabled={isWaiting}>
        {actions?.(data)}
      </fieldset>
    </>
  );
}
