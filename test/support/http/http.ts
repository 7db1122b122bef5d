import type { HttpMetrics } from '../../../api/http/telemetry.ts';
import type { Route } from '../../../api/http/route.ts';
import { type ApiServer, type ApiServerOptions, createApiServer } from '../../../api/server.ts';
import type { Log, LogFields } from '../../../application/ports/log.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: LogFields;
  readonly message: string;
}

/** A log that keeps its lines. */
export function memoryLog(): Log & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: LogLine['level']) => (fields: LogFields, message: string) => {
    lines.push({ level, fields, message });
  };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Metrics that keep what they are told. */
export function memoryMetrics() {
  const served: { method: string; route: string; status: number }[] = [];
  const state = { served, shed: 0, inFlight: 0 };
  const metrics: HttpMetrics = {
    requestServed: (method, route, status) => served.push({ method, route, status }),
    inFlight: (count) => {
      state.inFlight = count;
    },
    loadShed: () => {
      state.shed += 1;
    },
  };
  return { ...metrics, state };
}

/** The API on a free port of this machine. */
export async function startTestServer(
  routes: readonly Route[],
  options: Partial<ApiServerOptions> = {},
): Promise<{
  readonly server: ApiServer;
  readonly origin: string;
  readonly log: ReturnType<typeof memoryLog>;
  readonly metrics: ReturnType<typeof memoryMetrics>;
}> {
  const log = memoryLog();
  const metrics = memoryMetrics();
  const server = createApiServer({
    routes,
    log,
    metrics,
    limits: { maxInFlight: 1000, maxEventLoopDelayMs: 10_000 },
    caller: { trustProxy: [], clientCertificateHeader: null },
    ...options,
  });
  await server.start({ port: 0, host: '127.0.0.1' });
  return { server, origin: server.address().origin, log, metrics };
}

/** Lets the event loop turn until the condition holds. */
export async function until(condition: () => boolean, timeoutMs = 30_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > deadline)
      throw new Error(`Not within ${timeoutMs} ms: ${String(condition)}`);
    await new Promise(setImmediate);
  }
}
