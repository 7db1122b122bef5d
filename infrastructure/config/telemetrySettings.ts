import { z } from 'zod';
import { secureEndpoint } from './addresses.ts';
import { secret, setting } from './settings.ts';

/** `name=value` pairs, separated by commas, as `OTEL_EXPORTER_OTLP_HEADERS` has them. */
const headers = z
  .string()
  .regex(/^[\w-]+=[^,]+(,[\w-]+=[^,]+)*$/u, 'must be name=value pairs separated by commas')
  .transform((text) =>
    Object.fromEntries(
      text.split(',').map((pair): [string, string] => {
        const [name = '', ...value] = pair.split('=');
        return [name.trim(), value.join('=').trim()];
      }),
    ),
  );

/** Settings of the collector that traces and metrics go to by OTLP (docs/observability.md). */
export const telemetrySettings = {
  SVC_OTLP_URL: setting(
    secureEndpoint.optional(),
    'Collector of OpenTelemetry that traces and metrics are sent to (OTLP over HTTP, JSON), without `/v1/traces`. Absent: neither is made.',
  ),
  SVC_OTLP_HEADERS: secret(
    headers.optional(),
    'Headers of what is sent there, `name=value` separated by commas.',
  ),
  SVC_OTLP_TRACE_SHARE: setting(
    z.coerce.number().min(0).max(1).default(0.1),
    'Share of traces that are sent, 0 to 1. A `traceparent` of the caller names the trace and does not decide whether it is sent.',
  ),
} as const;
