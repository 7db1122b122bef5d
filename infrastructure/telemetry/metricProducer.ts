import { type HrTime, ValueType } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type HistogramMetricData,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** Metrics of the process, as prom-client has them. */
export interface MetricSource {
  read(): Promise<readonly MetricObjectWithValues<MetricValue<string>>[]>;
}

type Labels = Readonly<Record<string, string>>;

/** Value of a sample with the suffix that histograms give theirs: `_bucket`, `_sum`, `_count`. */
interface Sample {
  readonly labels: Labels;
  readonly value: number;
  readonly metricName?: string;
}

/** Gives the metrics of the process to OpenTelemetry under their own names and labels, so that each is declared once. */
export function createMetricProducer(source: MetricSource): MetricProducer {
  const startTime = millisToHrTime(Date.now() - process.uptime() * 1000);
  return {
    collect: async () => {
      const endTime = millisToHrTime(Date.now());
      const metrics = (await source.read()).flatMap(({ name, help, type, values }) =>
        toData({ name, help, type: String(type), values }, { startTime, endTime }),
      );
      const scopeMetrics = [{ scope: { name: 'tamga' }, metrics }];
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
    },
  };
}

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

function toData(
  metric: {
    readonly name: string;
    readonly help: string;
    readonly type: string;
    readonly values: readonly unknown[];
  },
  times: Times,
): MetricData[] {
  const { name, help, type } = metric;
  const samples = metric.values as readonly Sample[];
  const unit = name.endsWith('_seconds') ? 's' : name.endsWith('_bytes') ? 'By' : '';
  const common = {
    descriptor: { name, description: help, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = samples.map(({ labels, value }) => ({ ...times, attributes: labels, value }));
  switch (type) {
    case 'counter':
      return [
        { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points },
      ];
    case 'gauge':
      return [{ ...common, dataPointType: DataPointType.GAUGE, dataPoints: points }];
    case 'histogram':
      return [
        {
          ...common,
          dataPointType: DataPointType.HISTOGRAM,
          dataPoints: histograms(samples, times),
        },
      ];
    default:
      return [];
  }
}

/** Gathers the cumulative buckets of each set of labels into counts of their own. */
function histograms(samples: readonly Sample[], times: Times): HistogramMetricData['dataPoints'] {
  const sets = new Map<string, Sample[]>();
  for (const sample of samples) {
    const key = JSON.stringify(withoutBound(sample.labels));
    const set = sets.get(key);
    if (set === undefined) sets.set(key, [sample]);
    else set.push(sample);
  }
  return Array.from(
    sets.values(),
    (set): DataPoint<HistogramMetricData['dataPoints'][0]['value']> => {
      const buckets = set.filter(({ metricName }) => metricName?.endsWith('_bucket') === true);
      const last = (suffix: string) =>
        set.find(({ metricName }) => metricName?.endsWith(suffix) === true)?.value ?? 0;
      const counts = buckets.map(({ value }, at) => value - (buckets[at - 1]?.value ?? 0));
      const boundaries = buckets
        .map(({ labels }) => Number(labels['le']))
        .filter((bound) => Number.isFinite(bound));
      return {
        ...times,
        attributes: withoutBound(set[0]?.labels ?? {}),
        value: { buckets: { boundaries, counts }, count: last('_count'), sum: last('_sum') },
      };
    },
  );
}

function withoutBound(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => name !== 'le'));
}
