import { Skeleton, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageHeader } from './parts.tsx';
import { ProblemAlert } from './ProblemAlert.tsx';

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
 * @example see console/src/areas/relyingParties/DetailPage.tsx
 */
export function DetailPage<Data>({
  source,
  title,
  lead,
  back,
  actions,
  children,
}: {
  readonly source: DetailSource<Data>;
  readonly title: (data: Data) => string;
  readonly lead?: (data: Data) => ReactNode;
  /** List of the record. */
  readonly back: { readonly to: string; readonly label: string };
  readonly actions?: (data: Data) => ReactNode;
  readonly children: (data: Data) => ReactNode;
}) {
  const { error } = source;
  const data = source.isPlaceholderData === true ? undefined : source.data;
  if (data === undefined) {
    return (
      <>
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
    <>
      <PageHeader
        title={title(data)}
        lead={lead?.(data)}
        back={back}
        actions={actions === undefined ? undefined : actions(data)}
      />
      {children(data)}
    </>
  );
}
