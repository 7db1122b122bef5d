import { Anchor, Skeleton, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useInboxCount } from '../../shared/approvals.tsx';
import { StatisticsCharts } from '../../shared/statistics/StatisticsCharts.tsx';
import { type Statistics, useStatistics } from '../../shared/statistics/window.ts';
import { WindowSwitch } from '../../shared/statistics/WindowSwitch.tsx';
import { useTexts } from '../../shared/texts.ts';
import { Can, PageHeader, useFormats } from '../../shared/ui/parts.tsx';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import { StatTile, StatTiles } from '../../shared/ui/StatTile.tsx';
import { Health } from './Health.tsx';
import { texts } from './texts.ts';

/** Dashboard: state of the platform. */
export default function HomePage() {
  const t = useTexts(texts);
  const { time } = useFormats();
  const { name, choose, source } = useStatistics();
  const { data, error, dataUpdatedAt } = source;
  return (
    <>
      <PageHeader
        title={t('nav')}
        lead={data === undefined ? ' ' : t('lead', { time: time(new Date(dataUpdatedAt)) })}
        actions={<WindowSwitch value={name} onChange={choose} />}
      />
      <Stack gap="md">
        <Can capability="config:read">
          <Health />
        </Can>
        {error !== null && <ProblemAlert error={error} onRetry={() => void source.refetch()} />}
        {data === undefined ? (
          error === null && <Waiting />
        ) : (
          <>
            <Numbers statistics={data} />
            <StatisticsCharts statistics={data} window={name} />
          </>
        )}
      </Stack>
    </>
  );
}

function Waiting() {
  return (
    <Stack gap="md" aria-busy>
      <Skeleton height={92} />
      <Skeleton height={300} />
      <Skeleton height={300} />
    </Stack>
  );
}

function Numbers({ statistics }: { readonly statistics: Statistics }) {
  const t = useTexts(texts);
  const { number, short, percent } = useFormats();
  const { hours, latency, devices, certificates } = statistics;
  const sum = (of: (hour: Statistics['hours'][number]) => number) =>
    hours.reduce((total, hour) => total + of(hour), 0);
  const sessions = sum((hour) => hour.sessions);
  const ended = sessions - sum((hour) => hour.running);
  const valid = certificates
    .filter(({ status }) => status === 'VALID')
    .reduce((total, { count }) => total + count, 0);
  const p95 = latency.p95 === null ? null : Math.round(latency.p95 / 100) / 10;
  return (
    <StatTiles>
      <StatTile
        label={t('sessions')}
        value={<span title={number(sessions)}>{short(sessions)}</span>}
      />
      <StatTile
        label={t('succeeded')}
        value={ended === 0 ? '—' : percent(sum((hour) => hour.succeeded) / ended)}
        hint={t('ofSessions', { count: number(ended) })}
      />
      <StatTile
        label={t('latency')}
        value={p95 === null ? '—' : t('seconds', { value: number(p95) })}
      />
      <StatTile
        label={t('devices')}
        value={<span title={number(devices.active)}>{short(devices.active)}</span>}
      />
      <StatTile
        label={t('certificates')}
        value={<span title={number(valid)}>{short(valid)}</span>}
      />
      <StatTile
        label={t('seals')}
        value={number(sum((hour) => hour.seals))}
        hint={t('refused', { count: number(sum((hour) => hour.sealsRefused)) })}
      />
      <Can capability="audit:read">
        <Approvals />
      </Can>
    </StatTiles>
  );
}

function Approvals() {
  const t = useTexts(texts);
  const { number } = useFormats();
  const total = useInboxCount();
  return (
    <StatTile
      label={t('approvals')}
      value={total === undefined ? '—' : number(total)}
      tone={total !== undefined && total > 0 ? 'attention' : 'plain'}
      hint={
        <Anchor component={Link} to="/approvals" size="xs">
          {t('openApprovals')}
        </Anchor>
      }
    />
  );
}
