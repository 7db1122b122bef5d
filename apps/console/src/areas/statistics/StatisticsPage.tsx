import { Progress, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import {
  certificateStatusWords,
  certificateTypeWords,
  endResultWords,
  platformWords,
  sessionKindWords,
  useWords,
} from '../../shared/records/words.ts';
import { Leading } from '../../shared/charts/ChartFigure.tsx';
import { useSessionPlaces } from '../../shared/statistics/sessionPlaces.ts';
import { type Statistics, useStatistics } from '../../shared/statistics/window.ts';
import { WindowSwitch } from '../../shared/statistics/WindowSwitch.tsx';
import { useTexts } from '../../shared/texts.ts';
import type { Column } from '../../shared/ui/columns.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { PageHeader, Section, useFormats } from '../../shared/ui/parts.tsx';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import { StatTile, StatTiles } from '../../shared/ui/StatTile.tsx';
import { whole } from '../../shared/whole.ts';
import { texts } from './texts.ts';

export default function StatisticsPage() {
  const t = useTexts(texts);
  const { time } = useFormats();
  const { name, choose, source } = useStatistics();
  const { data, error } = source;
  return (
    <>
      <PageHeader
        title={t('nav')}
        lead={data === undefined ? ' ' : t('lead', { from: time(data.from), to: time(data.to) })}
        actions={<WindowSwitch value={name} onChange={choose} />}
      />
      {error !== null && <ProblemAlert error={error} onRetry={() => void source.refetch()} />}
      {data === undefined && error === null && <Skeleton height={480} />}
      {data !== undefined && (
        <Stack gap="md">
          <Latency latency={data.latency} />
          <Outcomes statistics={data} />
          <RelyingParties statistics={data} />
          <Present statistics={data} />
        </Stack>
      )}
    </>
  );
}

function Latency({ latency }: { readonly latency: Statistics['latency'] }) {
  const t = useTexts(texts);
  const { number } = useFormats();
  const seconds = (value: number | null) =>
    value === null ? '—' : t('seconds', { value: number(Math.round(value / 100) / 10) });
  return (
    <Section title={t('latency')}>
      <StatTiles>
        <StatTile label={t('answers')} value={number(latency.count)} />
        {(['p50', 'p90', 'p95', 'p99'] as const).map((each) => (
          <StatTile key={each} label={each} value={seconds(latency[each])} />
        ))}
      </StatTiles>
    </Section>
  );
}

function Share({ value, of }: { readonly value: number; readonly of: number }) {
  const { percent } = useFormats();
  const share = of === 0 ? 0 : value / of;
  return (
    <Stack gap={2} miw={90}>
      <Text size="sm">{percent(share)}</Text>
      <Progress value={share * 100} size="sm" aria-hidden />
    </Stack>
  );
}

/** Outcome by which the list of sessions shows exactly those of an end result; undefined: it knows none. */
function outcomeOf(endResult: string): string | undefined {
  if (endResult === 'CANCELLED_BY_RP') return 'CANCELLED';
  return ['OK', 'TIMEOUT', 'RUNNING'].includes(endResult) ? endResult : undefined;
}

function Outcomes({
  statistics: { sessions, from: since, to: until },
}: {
  readonly statistics: Statistics;
}) {
  const place = useSessionPlaces();
  const t = useTexts(texts);
  const kindName = useWords(sessionKindWords);
  const outcomeName = useWords(endResultWords);
  const { number } = useFormats();
  const total = sessions.reduce((sum, { count }) => sum + count, 0);
  const columns: readonly Column<Statistics['sessions'][number]>[] = [
    { key: 'kind', header: t('kind'), cell: ({ kind }) => kindName(kind) },
    {
      key: 'outcome',
      header: t('outcome'),
      cell: ({ outcome }) => (outcome === 'RUNNING' ? t('running') : outcomeName(outcome)),
    },
    {
      key: 'count',
      header: t('count'),
      align: 'end',
      cell: ({ kind, outcome, count }) => {
        const listed = outcomeOf(outcome);
        if (listed === undefined) return number(count);
        return (
          <Leading to={place({ since, until, kind, outcome: listed })}>{number(count)}</Leading>
        );
      },
    },
    { key: 'share', header: t('share'), cell: ({ count }) => <Share value={count} of={total} /> },
  ];
  return (
    <Section title={t('outcomes')}>
      <Text size="sm" c="dimmed" mb="sm">
        {t('outcomesLead')}
      </Text>
      <DataTable
        isWhole
        label={t('outcomes')}
        columns={columns}
        source={whole(sessions)}
        rowKey={({ kind, outcome }) => `${kind} ${outcome}`}
      />
    </Section>
  );
}

function RelyingParties({
  statistics: { relyingParties: parties, from: since, to: until },
}: {
  readonly statistics: Statistics;
}) {
  const place = useSessionPlaces();
  const t = useTexts(texts);
  const { number } = useFormats();
  const columns: readonly Column<Statistics['relyingParties'][number]>[] = [
    { key: 'name', header: t('relyingParty'), cell: ({ name }) => name },
    {
      key: 'sessions',
      header: t('sessions'),
      align: 'end',
      cell: (row) => (
        <Leading to={place({ since, until, relyingParty: row.relyingPartyId })}>
          {number(row.sessions)}
        </Leading>
      ),
    },
    {
      key: 'succeeded',
      header: t('succeeded'),
      cell: (row) => <Share value={row.succeeded} of={row.sessions} />,
    },
  ];
  return (
    <Section title={t('relyingParties')}>
      <DataTable
        isWhole
        label={t('relyingParties')}
        columns={columns}
        source={whole(parties)}
        rowKey={({ relyingPartyId }) => relyingPartyId}
      />
    </Section>
  );
}

function Present({
  statistics: { enrolments, certificates, devices },
}: {
  readonly statistics: Statistics;
}) {
  const t = useTexts(texts);
  const platformName = useWords(platformWords);
  const typeName = useWords(certificateTypeWords);
  const statusName = useWords(certificateStatusWords);
  const { number } = useFormats();
  const platforms: readonly Column<Statistics['enrolments'][number]>[] = [
    { key: 'platform', header: t('platform'), cell: ({ platform }) => platformName(platform) },
    { key: 'count', header: t('count'), align: 'end', cell: ({ count }) => number(count) },
  ];
  const kinds: readonly Column<Statistics['certificates'][number]>[] = [
    { key: 'type', header: t('type'), cell: ({ type }) => typeName(type) },
    { key: 'status', header: t('status'), cell: ({ status }) => statusName(status) },
    { key: 'count', header: t('count'), align: 'end', cell: ({ count }) => number(count) },
  ];
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Section title={t('certificates')}>
        <DataTable
          isWhole
          label={t('certificates')}
          columns={kinds}
          source={whole(certificates)}
          rowKey={({ type, status }) => `${type} ${status}`}
        />
      </Section>
      <Stack gap="md">
        <Section title={t('devices')}>
          <StatTiles>
            <StatTile label={t('active')} value={number(devices.active)} />
            <StatTile label={t('deactivated')} value={number(devices.deactivated)} />
          </StatTiles>
        </Section>
        <Section title={t('platforms')}>
          <DataTable
            isWhole
            label={t('platforms')}
            columns={platforms}
            source={whole(enrolments)}
            rowKey={({ platform }) => platform}
          />
        </Section>
      </Stack>
    </SimpleGrid>
  );
}
