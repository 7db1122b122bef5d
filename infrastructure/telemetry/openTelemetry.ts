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
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
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
    exporter: new OTLPMetricExporter(exporterOf(options, '/v1/metrics')),
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

function startTracing(options: OpenTelemetryOptions, resource: Resource) {
  const share = new TraceIdRatioBasedSampler(options.traceShare);
  const provider = new TracerProvider({
    resource,
    // Callers from outside name their trace, but do not decide what this process sends.
    sampler: new ParentBasedSampler({ root: share, remoteParentSampled: share }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter(exporterOf(options, '/v1/traces')),
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
    const parent =
      caller === undefined
        ? (active.getStore() ?? ROOT_CONTEXT)
        : propagator.extract(ROOT_CONTEXT, caller, defaultTextMapGetter);
    const span = tracer.startSpan(
      name,
      { kind: kinds[kind] ?? SpanKind.INTERNAL, attributes },
      parent,
    );
    begun.set(message, span);
    return trace.setSpan(parent, span);
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
    const { host, port, protocol } = new URL(request.origin);
    const span = tracer.startSpan(
      request.method,
      {
        kind: SpanKind.CLIENT,
        // Neither path nor query: they hold registration numbers and tokens of phones.
        attributes: {
          'http.request.method': request.method,
          'server.address': host,
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
