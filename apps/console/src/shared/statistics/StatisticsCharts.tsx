import { SimpleGrid } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Chart } from '../charts/Chart.tsx';
import { ChartFigure, type Place } from '../charts/ChartFigure.tsx';
import { useTexts } from '../texts.ts';
import { useFormats } from '../ui/parts.tsx';
import { useSessionPlaces } from './sessionPlaces.ts';
import { statisticsTexts } from './statisticsTexts.ts';
import { type Bar, bars, hourAfter, type Statistics, type WindowName, windows } from './window.ts';

/** Height of a chart, px. */
const HEIGHT = 200;
/** Height of the line below a title, px. */
const LEAD = 22;

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
  const sessions = useSessionPlaces();
  const found = bars(hours, windows[name].bar);
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
      <Counted
        title={t('sessionsTitle')}
        bars={found}
        when={when}
        series={[
          { name: 'succeeded', color: 'accent' },
          { name: 'notSucceeded', color: 'open' },
          { name: 'running', color: 'edge' },
        ]}
        place={({ start: since, end: until }, name) =>
          sessions({ since, until, outcome: name === null ? undefined : outcomes[name] })
        }
      />
      <Latency hours={hours} when={when} />
      <Counted
        title={t('certificatesTitle')}
        bars={found}
        when={when}
        series={[
          { name: 'enrolments', color: 'edge' },
          { name: 'certificatesIssued', color: 'accent' },
          { name: 'certificatesRevoked', color: 'bad' },
        ]}
        kind="by side"
      />
      <Counted
        title={t('sealsTitle')}
        bars={found}
        when={when}
        series={[
          { name: 'seals', color: 'accent' },
          { name: 'sealsRefused', color: 'bad' },
        ]}
      />
    </SimpleGrid>
  );
}

/** Outcomes by which the list of sessions is filtered. */
const outcomes: Partial<Record<CountName, string>> = {
  succeeded: 'OK',
  notSucceeded: 'UNSUCCESSFUL',
  running: 'RUNNING',
};

type CountName = Exclude<keyof Bar, 'start' | 'end' | 'sessions'>;

function Counted({
  title,
  bars: found,
  when,
  series,
  kind = 'stacked',
  place = () => null,
}: {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly when: (start: string) => string;
  readonly series: readonly { readonly name: CountName; readonly color: string }[];
  readonly kind?: 'stacked' | 'by side';
  /** Page of what a bar counts. @param name of one series; null: of all */
  readonly place?: (bar: Bar, name: CountName | null) => Place | null;
}) {
  const t = useTexts(statisticsTexts);
  const { number } = useFormats();
  const open = useOpening((slot, row) => {
    const bar = found[slot];
    return bar === undefined ? null : place(bar, row === null ? null : (series[row]?.name ?? null));
  });
  const rows = found.map((bar) => ({
    label: when(bar.start),
    values: series.map(({ name }) => number(bar[name])),
    places: series.map(({ name }) => place(bar, name)),
  }));
  return (
    <ChartFigure
      title={title}
      first={t('time')}
      series={series.map(({ name }) => t(name))}
      rows={rows}
    >
      <Chart
        kind={kind}
        height={HEIGHT}
        labels={rows.map(({ label }) => label)}
        series={series.map(({ name, color }) => ({
          name: t(name),
          color,
          values: found.map((bar) => bar[name]),
        }))}
        format={number}
        onChoose={open}
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
  const sessions = useSessionPlaces();
  const measured = hours.map(({ hour: start, latency: { p50, p95 } }) => ({
    at: when(start),
    place: sessions({ since: start, until: hourAfter(start) }),
    half: secondsOf(p50),
    most: secondsOf(p95),
  }));
  const open = useOpening((slot) => measured[slot]?.place ?? null);
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
        .map(({ at, half, most, place }) => ({
          label: at,
          values: [said(half), said(most)],
          places: [place, place],
        }))}
    >
      <Chart
        kind="lines"
        height={HEIGHT - LEAD}
        labels={measured.map(({ at }) => at)}
        series={[
          { name: t('most'), color: 'open', values: measured.map(({ most }) => most) },
          { name: t('half'), color: 'accent', values: measured.map(({ half }) => half) },
        ]}
        format={said}
        onChoose={open}
      />
    </ChartFigure>
  );
}

/** Opens the page of a slot; undefined: no slot has one. */
function useOpening(placeOf: (slot: number, row: number | null) => Place | null) {
  const navigate = useNavigate();
  if (placeOf(0, null) === null) return undefined;
  return (slot: number, row: number | null) => {
    const place = placeOf(slot, row);
    if (place !== null) void navigate({ to: place.to, search: place.search });
  };
}

function secondsOf(milliseconds: number | null): number | null {
  return milliseconds === null ? null : Math.round(milliseconds / 100) / 10;
}
