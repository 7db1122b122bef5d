import { hostname } from 'node:os';
import type { Config } from '../../infrastructure/config/config.ts';
import type { Metrics } from '../../infrastructure/telemetry/metrics.ts';
import type { OpenTelemetry } from '../../infrastructure/telemetry/openTelemetry.ts';
import { programVersion } from '../../infrastructure/version.ts';

/** Traces and metrics that go to a collector; null without one. */
export async function openTelemetry(
  config: Config,
  metrics: Pick<Metrics, 'read' | 'externalRequest'>,
): Promise<OpenTelemetry | null> {
  const { SVC_OTLP_URL: url, SVC_OTLP_HEADERS: headers } = config;
  if (url === undefined) return null;
  // Loaded here alone: a process without a collector has no use for fifty modules.
  const { startOpenTelemetry } = await import('../../infrastructure/telemetry/openTelemetry.ts');
  return startOpenTelemetry({
    url,
    headers,
    traceShare: config.SVC_OTLP_TRACE_SHARE,
    resource: {
      'service.name': 'tamga',
      'service.version': programVersion(),
      'service.instance.id': `${hostname()}:${process.pid}`,
      'deployment.environment.name': config.SVC_PROFILE,
      'tamga.roles': config.SVC_ROLES.join(','),
    },
    metrics,
    onSent: (what, status, seconds) => metrics.externalRequest('telemetry', what, status, seconds),
  });
}
