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
    'OpenTelemetry collector for traces and metrics (OTLP over HTTP, JSON), without `/v1/traces`. If unset, neither is produced.',
  ),
  SVC_OTLP_HEADERS: secret(
    headers.optional(),
    'Headers of the requests to it: `name=value`, comma-separated.',
  ),
  SVC_OTLP_TRACE_SHARE: setting(
    z.coerce.number().min(0).max(1).default(0.1),
    "Share of traces that are sent, 0 to 1. A caller's `traceparent` names the trace, but does not decide whether it is sent.",
  ),
} as const;
