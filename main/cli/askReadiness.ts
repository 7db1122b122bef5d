import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { z } from 'zod';
import { hostInUrl, reachedAt } from '../../domain/shared/hosts.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { isConsoleAlone } from '../../infrastructure/config/consoleSettings.ts';

/** Time for the answer, ms: a process gives each of its dependencies 2 s. */
const TIMEOUT_MS = 5000;
/** Size of an answer with every projection, several times over. */
const MAX_BYTES = 1_000_000;

const readiness = z.object({
  status: z.enum(['ready', 'degraded', 'notReady']),
  dependencies: z.record(z.string(), z.string()).default({}),
  reasons: z.record(z.string(), z.string()).default({}),
  projections: z
    .array(z.object({ name: z.string(), running: z.boolean(), lagSeconds: z.number() }))
    .default([]),
});

/** State of a process, as its `/readyz` says it. */
export type Readiness = z.infer<typeof readiness>;

/** Address of `/readyz` of the process that these settings are of; null: its port is not fixed. */
export function readinessAddress(config: Config): URL | null {
  const { SVC_MANAGEMENT_PORT: management, SVC_CONSOLE_PORT: console, SVC_PORT: own } = config;
  const port = management ?? (isConsoleAlone(config) ? console : own);
  if (port === 0) return null;
  const protocol = management === undefined && config.SVC_TLS_CERT !== undefined ? 'https' : 'http';
  return new URL(`${protocol}://${hostInUrl(reachedAt(config.SVC_HOST))}:${port}/readyz`);
}

/** Asks a process on this machine. @throws Error when nothing answers, or something else */
export function askReadiness(address: URL): Promise<Readiness> {
  return new Promise((resolve, reject) => {
    // The certificate is the public name's, not this address's.
    const request = address.protocol === 'https:' ? requestTls : requestPlain;
    const asked = request(
      address,
      { rejectUnauthorized: false, timeout: TIMEOUT_MS, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('error', reject);
        response.on('data', (piece: string) => {
          text += piece;
          if (text.length > MAX_BYTES) asked.destroy(new Error('The answer is too long.'));
        });
        response.on('end', () => {
          try {
            resolve(readiness.parse(JSON.parse(text)));
          } catch {
            reject(new Error(`${response.statusCode ?? ''}, without the state of a service.`));
          }
        });
      },
    );
    asked.on('timeout', () => asked.destroy(new Error('No answer in time.')));
    asked.on('error', reject);
    asked.end();
  });
}
