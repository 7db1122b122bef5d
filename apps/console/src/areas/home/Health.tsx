import { Anchor, Group, Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useRead } from '../../shared/api/useRead.ts';
import { isWell } from '../../shared/health/isWell.ts';
import { useTexts } from '../../shared/texts.ts';
import { Section, StatusBadge } from '../../shared/ui/parts.tsx';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import { texts } from './texts.ts';

const REFRESH_MS = 10_000;

/** Loaded only where something is not well: it has words for everything that may not be. */
const Unwell = lazy(() => import('./Unwell.tsx'));

/** Verdict on everything, and each part that is not well with what to do. The rest is on the page of the system. */
export function Health() {
  const t = useTexts(texts);
  const { data, error, refetch } = useRead('/v3/admin/system', {}, { every: REFRESH_MS });
  const healthy = data && isWell(data);
  return (
    <Section
      title={t('health')}
      actions={
        <Group gap="sm">
          {healthy !== undefined && (
            <StatusBadge tone={healthy ? 'good' : 'bad'}>
              {t(healthy ? 'healthy' : 'unhealthy')}
            </StatusBadge>
          )}
          <Anchor component={Link} to="/system" size="sm">
            {t('more')}
          </Anchor>
        </Group>
      }
    >
      {error !== null && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={24} />}
      {data !== undefined && healthy === false && (
        <Suspense fallback={<Skeleton height={48} />}>
          <Unwell system={data} />
        </Suspense>
      )}
    </Section>
  );
}
