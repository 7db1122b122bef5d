import { randomBytes } from 'node:crypto';
import { revocationListRoutes } from '../../../api/pki/revocationListRoutes.ts';
import { createApiServer } from '../../../api/server.ts';
import { createMetrics } from '../../../infrastructure/telemetry/metrics.ts';
import { serveChild } from './childServer.ts';

// GET /crl through the whole pipeline, with a constant CRL.

await serveChild<{ readonly bytes: number }>(async ({ bytes }) => {
  const now = new Date();
  const list = {
    authority: 'personal' as const,
    number: 1n,
    thisUpdate: now,
    nextUpdate: now,
    der: randomBytes(bytes),
  };
  const quiet = () => undefined;
  const server = createApiServer({
    routes: revocationListRoutes(['personal', 'organization'], () => Promise.resolve(list)),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    metrics: createMetrics({ defaults: false }),
    limits: { maxInFlight: 100_000, maxEventLoopDelayMs: 60_000 },
    caller: { trustProxy: [], clientCertificateHeader: null },
    logRequests: false,
  });
  await server.start({ port: 0, host: '127.0.0.1' });
  return { port: server.address().port, stop: () => server.stop(100) };
});
