import { AreaChart, BarChart } from '@mantine/charts';
import { SimpleGrid } from '@mantine/core';
import { ChartFigure } from '../charts/ChartFigure.tsx';
import { useTexts } from '../texts.ts';
import { useFormats } from '../ui/parts.tsx';
import { statisticsTexts } from './statisticsTexts.ts';
import { type Bar, bars, type Statistics, type WindowName, windows } from './window.ts';

const HEIGHT = 230;
/** Hidden from assistive technology, which reads the table below; takes no focus. */
const quiet = { accessibilityLayer: false } as const;
const axis = { tickMargin: 8, minTickGap: 24 } as const;

/** Statistics of a window: sessions, response times, certificates, seals. */
export function StatisticsCharts({
  statistics: { hours },
  window: name,
}: {
  readonly statistics: Statistics;
  readonly window: WindowName;
}) {
  const t = useTexts(statisticsTexts);
  const { hour, shortDate } = useFormats();
  const when = (start: string) =>
    name === 'day'
      ? hour(start)
      : name === 'week'
        ? `${shortDate(start)} ${hour(start)}`
        : shortDate(start);
  const found = bars(hours, windows[name].bar);
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
      <Counted
        title={t('sessionsTitle')}
        bars={found}
        when={when}
        series={[
          { name: 'succeeded', color: 'tamga.6' },
          { name: 'notSucceeded', color: 'orange.5' },
          { name: 'running', color: 'gray.5' },
        ]}
      />
      <Latency hours={hours} when={when} />
      <Counted
        title={t('certificatesTitle')}
        bars={found}
        when={when}
        series={[
          { name: 'enrolments', color: 'tamga.3' },
          { name: 'certificatesIssued', color: 'tamga.7' },
          { name: 'certificatesRevoked', color: 'red.6' },
        ]}
        side="by side"
      />
      <Counted
        title={t('sealsTitle')}
        bars={found}
        when={when}
        series={[
          { name: 'seals', color: 'yellow.6' },
          { name: 'sealsRefused', color: 'red.6' },
        ]}
      />
    </SimpleGrid>
  );
}

type CountName = Exclude<keyof Bar, 'start' | 'sessions'>;

function Counted({
  title,
  bars: found,
  when,
  series,
  side = 'stacked',
}: {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly when: (start: string) => string;
  readonly series: readonly { readonly name: CountName; readonly color: string }[];
  readonly side?: 'stacked' | 'by side';
}) {
  const t = useTexts(statisticsTexts);
  const { number } = useFormats();
  const rows = found.map((bar) => ({
    label: when(bar.start),
    values: series.map(({ name }) => number(bar[name])),
  }));
  return (
    <ChartFigure
      title={title}
      first={t('time')}
      series={series.map(({ name }) => t(name))}
      rows={rows}
    >
      <BarChart
        h={HEIGHT}
        data={found.map((bar) => ({ ...bar, at: when(bar.start) }))}
        dataKey="at"
        type={side === 'stacked' ? 'stacked' : 'default'}
        series={series.map(({ name, color }) => ({ name, color, label: t(name) }))}
        withLegend
        valueFormatter={number}
        xAxisProps={axis}
        yAxisProps={{ allowDecimals: false, width: 40 }}
        barChartProps={{ ...quiet, barCategoryGap: 2, barGap: 0 }}
        barProps={{ isAnimationActive: false, maxBarSize: 28 }}
        tickLine="none"
        gridAxis="x"
      />
    </ChartFigure>
  );
}

function Latency({
  hours,
  when,
}: {
  readonly hours: Statistics['hours'];
  readonly when: (start: string) => string;
}) {
  const t = useTexts(statisticsTexts);
  const { number } = useFormats();
  const measured = hours.map(({ hour: start, latency: { p50, p95 } }) => ({
    at: when(start),
    start,
    half: secondsOf(p50),
    most: secondsOf(p95),
  }));
  const said = (value: number | null) =>
    value === null ? '—' : t('seconds', { value: number(value) });
  return (
    <ChartFigure
      title={t('latencyTitle')}
      lead={t('latencyLead')}
      first={t('time')}
      series={[t('half'), t('most')]}
      rows={measured
        .filter(({ half }) => half !== null)
        .map(({ at, half, most }) => ({ label: at, values: [said(half), said(most)] }))}
    >
      <AreaChart
        h={HEIGHT - 22}
        data={measured}
        dataKey="at"
        series={[
          { name: 'most', color: 'yellow.6', label: t('most') },
          { name: 'half', color: 'tamga.6', label: t('half') },
        ]}
        curveType="monotone"
        withLegend
        withDots={measured.length <= 24}
        connectNulls
        fillOpacity={0.14}
        valueFormatter={(value) => t('seconds', { value: number(value) })}
        xAxisProps={axis}
        yAxisProps={{ width: 52 }}
        areaChartProps={quiet}
        areaProps={{ isAnimationActive: false }}
        tickLine="none"
        gridAxis="x"
      />
    </ChartFigure>
  );
}

function secondsOf(milliseconds: number | null): number | null {
  return milliseconds === null ? null : Math.round(milliseconds / 100) / 10;
}
