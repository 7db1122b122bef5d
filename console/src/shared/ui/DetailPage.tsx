import { Anchor, Skeleton, Stack } from '@mantine/core';
import { IconChevronLeft } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageHeader } from './parts.tsx';
import { ProblemAlert } from './ProblemAlert.tsx';

/** What the page of one thing is read from; a `UseQueryResult` of `useRead` fits. */
export interface DetailSource<Data> {
  readonly data?: Data | undefined;
  /** What is there is of another thing or moment: it is not shown. */
  readonly isPlaceholderData?: boolean;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/**
 * The page of one thing: its header, what can be done to it, its parts; loading and failed states included.
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
  /** The list it is in. */
  readonly back: { readonly to: string; readonly label: string };
  readonly actions?: (data: Data) => ReactNode;
  readonly children: (data: Data) => ReactNode;
}) {
  const { error } = source;
  const data = source.isPlaceholderData === true ? undefined : source.data;
  const up = (
    <Anchor component={Link} to={back.to} size="sm">
      <IconChevronLeft size={14} aria-hidden /> {back.label}
    </Anchor>
  );
  if (data === undefined) {
    return (
      <>
        <PageHeader title={back.label} back={up} />
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
        back={up}
        actions={actions === undefined ? undefined : actions(data)}
      />
      {children(data)}
    </>
  );
}
