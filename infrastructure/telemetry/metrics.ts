import {
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type Metric,
  type MetricValue,
  Registry,
} from 'prom-client';
import type { MetricSource } from './metricProducer.ts';
import type { PushLimit } from '../../application/session/ports/pushRecords.ts';
import {
  type EndResult,
  notMe,
  type SessionFlow,
  type SessionKind,
} from '../../domain/session/events.ts';
import { type AssistantMetrics, createAssistantMetrics } from './assistantMetrics.ts';
import { countersOf } from './counters.ts';

/** Measurements of one projection. */
export interface ProjectionMeasure {
  readonly name: string;
  /** Seconds the read model is behind the log; 0 when caught up. */
  readonly lagSeconds: number;
  /** False when an event stopped it. */
  readonly running: boolean;
}

/** Numbers of what waits for an operator, over all processes; those without any are left out. */
export interface LeftBehindMeasure {
  /** Parked rows by read model. */
  readonly parked: ReadonlyMap<string, number>;
  /** Dead letters by reactor. */
  readonly deadLetters: ReadonlyMap<string, number>;
}

/** Numbers of what is in the archive. */
export interface ArchiveMeasure {
  readonly sessions: number;
  readonly events: number;
  readonly bytes: number;
}

/** The process's metrics, names and labels of contract §13. */
export interface Metrics extends MetricSource {
  requestServed(method: string, route: string, status: number, seconds: number): void;
  inFlight(count: number): void;
  loadShed(): void;
  /** Counts a failed reaction. @param name of the reactor */
  reactorFailed(name: string): void;
  /** Counts a failure that will be retried. @param name of the work, for example a job's */
  retried(name: string): void;
  sessionCompleted(kind: SessionKind, flow: SessionFlow, endResult: EndResult): void;
  /** Counts a request that a limit kept from a citizen's phones. */
  pushRefused(limit: PushLimit): void;
  /**
   * Counts the result of an identity verification attempt, or of a verification without one.
   * @param result `OK` or the error
   */
  identityVerification(method: string, result: string): void;
  /** Counts a completed OpenID Connect login. */
  citizenLogin(result: string): void;
  /** Counts an operator's login attempt. */
  operatorSignIn(
    method: 'PASSWORD' | 'SECOND_FACTOR' | 'BREAK_GLASS',
    result: 'OK' | 'FAILED' | 'THROTTLED',
  ): void;
  /** Measures one durable append. */
  appended(events: number, seconds: number): void;
  /** Measures a request to an external system. @param status of HTTP, `error` without one; of the scanner `ok` or `found` */
  externalRequest(system: string, operation: string, status: string, seconds: number): void;
  /** The assistant. */
  readonly assistant: AssistantMetrics;
  /** Calls `read` at every scrape for the times until which the newest revocation lists are good, by authority. */
  watchRevocationLists(read: () => Promise<ReadonlyMap<string, Date>>): void;
  /** Records how far this machine's clock is ahead of the database server's, s. */
  clockOffset(seconds: number): void;
  /** Counts that the log was found to have lost acknowledged events. */
  logLostEvents(): void;
  /** Calls `read` at every scrape for the size of the archive. */
  watchArchive(read: () => Promise<ArchiveMeasure>): void;
  /** Calls `read` at every scrape for parked rows by read model and dead letters by reactor. */
  watchLeftBehind(read: () => Promise<LeftBehindMeasure>): void;
  /**
   * Calls both at every scrape: for the projections' state, and for the processes where they are active.
   */
  watchProjections(read: () => readonly ProjectionMeasure[], active: () => readonly string[]): void;
  /** Metrics in the text exposition format, with their media type. */
  expose(): Promise<{ readonly contentType: string; readonly text: string }>;
  /** Releases what is measured: prom-client's observer of garbage collection holds the registry as long as the process. */
  stop(): void;
}

/** Seconds: a durable append takes fractions of a millisecond on a good disk. */
const appendBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5];

/** @param defaults whether to add the process's own metrics (memory, event loop, garbage collection) */
export function createMetrics({ defaults = true }: { readonly defaults?: boolean } = {}): Metrics {
  const registry = new Registry();
  if (defaults) collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const counter = countersOf(registry);
  const durations = createRequestDurations(registry);
  let inFlight = 0;
  let readProjections: () => readonly ProjectionMeasure[] = () => [];
  let readProjectors: () => readonly string[] = () => [];

  new Gauge({
    name: 'resilience_in_flight_requests',
    help: 'Requests being worked on; waiting polls are not counted.',
    registers,
    collect() {
      this.set(inFlight);
    },
  });
  const shed = counter('resilience_load_shed_total', 'Requests refused because of overload.');
  const reactorFailures = counter(
    'reactor_failures_total',
    'Failed reactions to events; each is tried again.',
    ['reactor'],
  );
  let readLeftBehind: () => Promise<LeftBehindMeasure> = () =>
    Promise.resolve({ parked: new Map(), deadLetters: new Map() });
  const leftBehindGauge = (
    name: string,
    help: string,
    { label, of }: { readonly label: string; readonly of: keyof LeftBehindMeasure },
  ) =>
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers,
      async collect() {
        // During an outage of the database the last numbers stay.
        const counts = await readLeftBehind().catch(() => null);
        if (counts === null) return;
        this.reset();
        for (const [each, count] of counts[of]) this.set({ [label]: each }, count);
      },
    });
  leftBehindGauge(
    'projection_parked',
    'Rows of a read model that wait for an operator, over all processes.',
    { label: 'projection', of: 'parked' },
  );
  leftBehindGauge('reactor_dead_letters', 'Events a reactor left behind, over all processes.', {
    label: 'reactor',
    of: 'deadLetters',
  });
  let readArchive: () => Promise<ArchiveMeasure> = () =>
    Promise.resolve({ sessions: 0, events: 0, bytes: 0 });
  for (const of of ['sessions', 'events', 'bytes'] as const) {
    new Gauge({
      name: `archive_${of}`,
      help: `${of[0]?.toUpperCase()}${of.slice(1)} in the archive, for all processes.`,
      registers,
      async collect() {
        const archive = await readArchive().catch(() => null);
        if (archive !== null) this.set(archive[of]);
      },
    });
  }
  const retries = counter('resilience_retry_total', 'Failed work that was tried again.', ['name']);
  const logins = counter(
    'logins_total',
    "Authentication sessions completed, by flow and endResult; operators' attempts, by step.",
    ['method', 'result'],
  );
  const signed = counter(
    'documents_signed_total',
    'Signature sessions completed, by rail and endResult.',
    ['rail', 'result'],
  );
  const disowned = counter(
    'sessions_disowned_total',
    'Sessions the citizen answered with "It was not me", by flow.',
    ['method'],
  );
  const pushesRefused = counter(
    'pushes_refused_total',
    "Requests kept from a citizen's phones, by the limit that did.",
    ['limit'],
  );
  const verifications = counter(
    'identity_verifications_total',
    'Attempts to verify an identity, and verifications that ended without, by method and result.',
    ['method', 'result'],
  );
  const external = new Histogram({
    name: 'external_request_duration_seconds',
    help: 'Duration of calls to other systems in seconds.',
    labelNames: ['system', 'operation', 'status'],
    registers,
  });
  const appends = new Histogram({
    name: 'eventstore_append_duration_seconds',
    help: 'Duration of durable appends in seconds.',
    buckets: appendBuckets,
    registers,
  });
  const events = counter('eventstore_appended_events_total', 'Events appended.');
  const assistant = createAssistantMetrics(registry);
  let readNextUpdates: () => Promise<ReadonlyMap<string, Date>> = () => Promise.resolve(new Map());
  new Gauge({
    name: 'revocation_list_next_update_timestamp_seconds',
    help: 'Until when the newest revocation list is good, that of an offline root too, for all processes.',
    labelNames: ['authority'],
    registers,
    async collect() {
      const times = await readNextUpdates().catch(() => null);
      for (const [authority, time] of times ?? []) this.set({ authority }, time.getTime() / 1000);
    },
  });
  const clockOffset = new Gauge({
    name: 'clock_offset_seconds',
    help: "Seconds this machine's clock is ahead of the database server's.",
    registers,
  });
  const lostEvents = counter(
    'log_lost_events_total',
    'Times the event log was found to have lost acknowledged events.',
  );
  new Gauge({
    name: 'projection_lag_seconds',
    help: 'Seconds a read model is behind the log.',
    labelNames: ['projection'],
    registers,
    collect() {
      for (const { name, lagSeconds } of readProjections()) {
        this.set({ projection: name }, lagSeconds);
      }
    },
  });
  new Gauge({
    name: 'projection_running',
    help: '1 while the projection runs, 0 when an event stopped it or no process projects.',
    labelNames: ['projection'],
    registers,
    collect() {
      for (const { name, running } of readProjections()) {
        this.set({ projection: name }, running ? 1 : 0);
      }
    },
  });

  new Gauge({
    name: 'projection_active',
    help: '1 for each process, host:pid, that projects; no sample when none does.',
    labelNames: ['process'],
    registers,
    collect() {
      this.reset();
      for (const process of readProjectors()) this.set({ process }, 1);
    },
  });

  return {
    requestServed: durations.observe,
    inFlight: (count) => {
      inFlight = count;
    },
    loadShed: () => shed.inc(),
    reactorFailed: (reactor) => reactorFailures.inc({ reactor }),
    watchArchive: (read) => {
      readArchive = read;
    },
    watchLeftBehind: (read) => {
      readLeftBehind = read;
    },
    retried: (name) => retries.inc({ name }),
    sessionCompleted: (kind, flow, endResult) => {
      if (kind === 'AUTHENTICATION') logins.inc({ method: flow, result: endResult });
      if (kind === 'SIGNATURE') signed.inc({ rail: 'EID', result: endResult });
      if (endResult === notMe) disowned.inc({ method: flow });
    },
    pushRefused: (limit) => pushesRefused.inc({ limit }),
    identityVerification: (method, result) => verifications.inc({ method, result }),
    citizenLogin: (result) => logins.inc({ method: 'OIDC', result }),
    operatorSignIn: (method, result) => logins.inc({ method: `OPERATOR_${method}`, result }),
    appended: (count, seconds) => {
      appends.observe(seconds);
      events.inc(count);
    },
    externalRequest: (system, operation, status, seconds) =>
      external.observe({ system, operation, status }, seconds),
    assistant,
    watchRevocationLists: (read) => {
      readNextUpdates = read;
    },
    clockOffset: (seconds) => clockOffset.set(seconds),
    logLostEvents: () => lostEvents.inc(),
    watchProjections: (read, active) => {
      readProjections = read;
      readProjectors = active;
    },
    read: () => registry.getMetricsAsJSON(),
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
    stop: () => registry.clear(),
  };
}

/** Bucket bounds in seconds (contract §13). */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] as const;

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);

const requestDuration = 'http_server_request_duration_seconds';

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
function createRequestDurations(registry: Registry) {
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
    name: requestDuration,
    get: () =>
      Promise.resolve({
        name: requestDuration,
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
    return { metricName: `${requestDuration}_bucket`, labels: { le, ...labels }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${requestDuration}_sum`, labels, value: sum },
    { metricName: `${requestDuration}_count`, labels, value: count },
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
