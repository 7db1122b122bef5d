import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span as TraceSpan,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import {
  type ExportResult,
  ExportResultCode,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { type Span, spans } from '../../application/ports/spans.ts';
import { createMetricProducer, type MetricSource } from './metricProducer.ts';

export interface OpenTelemetryOptions {
  /** Base address of the collector. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Share of the traces that are sent, 0 to 1. */
  readonly traceShare: number;
  /** Attributes of everything that is sent: service, version, process. */
  readonly resource: Readonly<Record<string, string>>;
  /** Metrics of the process; sent every minute, and at the end. */
  readonly metrics: MetricSource;
  /** Called after each attempt to send. @param status `ok` or `error` */
  readonly onSent: (what: 'traces' | 'metrics', status: 'ok' | 'error', seconds: number) => void;
}

/** Traces and metrics that go out by OTLP. */
export interface OpenTelemetry {
  /** Ids of the trace at work, for the lines of the log; empty outside of one. */
  traceFields(): { readonly traceId?: string; readonly spanId?: string };
  /** Sends what is left, for two seconds at most. Never throws. */
  stop(): Promise<void>;
}

const METRICS_EVERY_MS = 60_000;
/** ms; a collector that does not answer must not hold up the end of the process. */
const LAST_EXPORT_MS = 2000;

/** Work that begins a trace of its own. */
const ownTraces: ReadonlySet<Span['kind']> = new Set(['projection', 'reaction', 'job']);

const kinds: Readonly<Partial<Record<Span['kind'], SpanKind>>> = {
  request: SpanKind.SERVER,
  append: SpanKind.CLIENT,
  projection: SpanKind.CONSUMER,
  reaction: SpanKind.CONSUMER,
  job: SpanKind.CONSUMER,
};

/** Starts to listen to what {@link spans} tells and to calls by `fetch`, and to send. */
export function startOpenTelemetry(options: OpenTelemetryOptions): OpenTelemetry {
  const resource = resourceFromAttributes({ ...options.resource });
  const tracing = startTracing(options, resource);
  const reader = new PeriodicExportingMetricReader({
    exporter: observed(
      new OTLPMetricExporter(exporterOf(options, '/v1/metrics')),
      'metrics',
      options,
    ),
    exportIntervalMillis: METRICS_EVERY_MS,
    metricProducers: [createMetricProducer(options.metrics)],
  });
  const meters = new MeterProvider({ resource, readers: [reader] });
  return {
    traceFields: tracing.traceFields,
    stop: async () => {
      tracing.stopListening();
      const ended = Promise.allSettled([tracing.provider.shutdown(), meters.shutdown()]);
      const late = new Promise((resolve) => setTimeout(resolve, LAST_EXPORT_MS).unref());
      await Promise.race([ended, late]);
    },
  };
}

function exporterOf({ url, headers = {} }: OpenTelemetryOptions, path: string) {
  return { url: url.replace(/\/$/, '') + path, headers: { ...headers } };
}

interface Exporter<Items> {
  export(items: Items, done: (result: ExportResult) => void): void;
}

/** Tells how each attempt to send ended; a collector that is away is seen nowhere else. */
function observed<Items, Kind extends Exporter<Items>>(
  exporter: Kind & Exporter<Items>,
  what: 'traces' | 'metrics',
  { onSent }: OpenTelemetryOptions,
): Kind {
  const send = exporter.export.bind(exporter);
  exporter.export = (items: Items, done: (result: ExportResult) => void) => {
    const began = performance.now();
    send(items, (result) => {
      const status = result.code === ExportResultCode.SUCCESS ? 'ok' : 'error';
      onSent(what, status, (performance.now() - began) / 1000);
      done(result);
    });
  };
  return exporter;
}

/** Draws by itself: an id or a mark that a caller chose decides nothing. */
function drawing(share: number): Sampler {
  const { RECORD_AND_SAMPLED, NOT_RECORD } = SamplingDecision;
  return {
    shouldSample: () => ({ decision: Math.random() < share ? RECORD_AND_SAMPLED : NOT_RECORD }),
    toString: () => `Drawing{${share}}`,
  };
}

function startTracing(options: OpenTelemetryOptions, resource: Resource) {
  const drawn = drawing(options.traceShare);
  const provider = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({
      root: drawn,
      remoteParentSampled: drawn,
      remoteParentNotSampled: drawn,
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: observed(
          new OTLPTraceExporter(exporterOf(options, '/v1/traces')),
          'traces',
          options,
        ),
      }),
    ],
  });
  const tracer = provider.getTracer('tamga');
  const propagator = new W3CTraceContextPropagator();
  /** Trace that the work at hand belongs to. */
  const active = new AsyncLocalStorage<Context>();
  const begun = new WeakMap<object, TraceSpan>();

  function begin(message: Span): Context {
    const { kind, name, attributes, caller } = message;
    const parent = caller === undefined ? parentOf(kind) : parentAmong(caller);
    const span = tracer.startSpan(
      name,
      { kind: kinds[kind] ?? SpanKind.INTERNAL, attributes },
      parent,
    );
    begun.set(message, span);
    message.traceId = span.spanContext().traceId;
    return trace.setSpan(parent, span);
  }

  /** Work that others cause runs where they were when they asked for it, and is none of theirs. */
  const parentOf = (kind: Span['kind']) =>
    ownTraces.has(kind) ? ROOT_CONTEXT : (active.getStore() ?? ROOT_CONTEXT);

  /** The caller's span, without `tracestate`, which may hold any text and would go on to systems outside. */
  function parentAmong(caller: NonNullable<Span['caller']>): Context {
    const context = propagator.extract(ROOT_CONTEXT, caller, defaultTextMapGetter);
    const named = trace.getSpanContext(context);
    if (named === undefined) return ROOT_CONTEXT;
    const { traceId, spanId, traceFlags } = named;
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  }

  function end(message: Span): void {
    const span = begun.get(message);
    if (span === undefined) return;
    begun.delete(message);
    span.updateName(message.name);
    span.setAttributes(message.attributes);
    if (message.error !== undefined) fail(span, message.error);
    span.end();
  }

  /** Ends work that failed before it promised anything. */
  const endAtOnce = (message: unknown) => {
    if ((message as Span).error !== undefined) end(message as Span);
  };
  const endLater = (message: unknown) => end(message as Span);

  spans.start.bindStore(active, begin);
  spans.end.subscribe(endAtOnce);
  spans.asyncEnd.subscribe(endLater);
  const stopCalls = traceCalls((request) => {
    const parent = active.getStore();
    if (parent === undefined) return null;
    const { hostname, port, protocol } = new URL(request.origin);
    const span = tracer.startSpan(
      request.method,
      {
        kind: SpanKind.CLIENT,
        // Neither path nor query: they hold registration numbers and tokens of phones.
        attributes: {
          'http.request.method': request.method,
          'server.address': hostname,
          ...(port === '' ? {} : { 'server.port': Number(port) }),
          'url.scheme': protocol.replace(':', ''),
        },
      },
      parent,
    );
    const carrier: Record<string, string> = {};
    propagator.inject(trace.setSpan(parent, span), carrier, defaultTextMapSetter);
    for (const [name, value] of Object.entries(carrier)) request.addHeader(name, value);
    return span;
  });

  return {
    provider,
    traceFields: () => {
      const span = trace.getSpan(active.getStore() ?? ROOT_CONTEXT);
      if (span === undefined) return {};
      const { traceId, spanId } = span.spanContext();
      return { traceId, spanId };
    },
    stopListening: () => {
      spans.start.unbindStore(active);
      spans.end.unsubscribe(endAtOnce);
      spans.asyncEnd.unsubscribe(endLater);
      stopCalls();
    },
  };
}

/** Marks a span as failed by the kind of the error: its message may hold personal data. */
function fail(span: TraceSpan, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  const { name, code } = error as { readonly name?: unknown; readonly code?: unknown };
  const type = typeof code === 'string' ? code : name;
  span.setAttribute('error.type', typeof type === 'string' ? type : typeof error);
}

/** Request of undici, which `fetch` makes, as its diagnostics channels show it. */
interface Call {
  readonly origin: string;
  readonly method: string;
  addHeader(name: string, value: string): void;
}

/** Follows the calls that `fetch` makes. @param begin span of a call; null: none @returns ends it */
function traceCalls(begin: (request: Call) => TraceSpan | null): () => void {
  const running = new WeakMap<object, TraceSpan>();

  function end(request: Call, error?: unknown): void {
    const span = running.get(request);
    if (span === undefined) return;
    running.delete(request);
    if (error !== undefined) fail(span, error);
    span.end();
  }

  const listeners = {
    'undici:request:create': ({ request }: { readonly request: Call }) => {
      const span = begin(request);
      if (span !== null) running.set(request, span);
    },
    'undici:request:headers': ({
      request,
      response,
    }: {
      readonly request: Call;
      readonly response: { readonly statusCode: number };
    }) => running.get(request)?.setAttribute('http.response.status_code', response.statusCode),
    'undici:request:trailers': ({ request }: { readonly request: Call }) => end(request),
    'undici:request:error': ({ request, error }: { readonly request: Call; error: unknown }) =>
      end(request, error),
  };
  const all = Object.entries(listeners) as [string, (message: unknown) => void][];
  for (const [channel, listen] of all) subscribe(channel, listen);
  return () => {
    for (const [channel, listen] of all) unsubscribe(channel, listen);
  };
}
