import type { Metric, MetricValue, Registry } from 'prom-client';

/** Bucket bounds in seconds (contract §13). */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] as const;

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);

const name = 'http_server_request_duration_seconds';

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** Requests per bucket, not cumulative; the last one is for those above every bound. */
  readonly counts: number[];
  sum: number;
}

/**
 * The request duration histogram, implemented here: the library's validates and hashes the labels of every observation,
 * which takes several microseconds of a path that has tens.
 */
export function createRequestDurations(registry: Registry) {
  const byRoute = new Map<string, Map<string, Map<number, Series>>>();

  function seriesOf(method: string, route: string, status: number): Series {
    const byMethod = entry(byRoute, route, () => new Map<string, Map<number, Series>>());
    const byStatus = entry(byMethod, method, () => new Map<number, Series>());
    return entry(byStatus, status, () => ({
      labels: {
        http_request_method: method,
        http_route: route,
        http_response_status_code: String(status),
      },
      counts: Array.from({ length: bounds.length + 1 }, () => 0),
      sum: 0,
    }));
  }

  function values(): MetricValue<string>[] {
    return [...byRoute.values()]
      .flatMap((byMethod) => [...byMethod.values()])
      .flatMap((byStatus) => [...byStatus.values()])
      .flatMap(valuesOf);
  }

  const metric = {
    name,
    get: () =>
      Promise.resolve({
        name,
        help: 'Duration of HTTP requests in seconds.',
        type: 'histogram',
        aggregator: 'sum',
        values: values(),
      }),
    reset: () => byRoute.clear(),
  };
  registry.registerMetric(metric as unknown as Metric);

  return {
    observe: (method: string, route: string, status: number, seconds: number): void => {
      const series = seriesOf(methods.has(method) ? method : '_OTHER', route, status);
      let bucket = 0;
      while (bucket < bounds.length && seconds > (bounds[bucket] ?? Infinity)) bucket += 1;
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
      series.sum += seconds;
    },
  };
}

function valuesOf({
  labels,
  counts,
  sum,
}: Series): (MetricValue<string> & { metricName: string })[] {
  let count = 0;
  const buckets = counts.map((inBucket, index) => {
    count += inBucket;
    const le = String(bounds[index] ?? '+Inf');
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
