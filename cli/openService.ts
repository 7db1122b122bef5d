import { type Config, readConfig } from '../infrastructure/config.ts';
import { createService, type Service } from '../main.ts';

/**
 * The configuration of a command: the environment, in the development profile unless it names a database or says otherwise, so that
 * commands beside `./tamga up` find its database without further words.
 */
export function commandConfig(overrides: NodeJS.ProcessEnv = {}): Config {
  const { SVC_DATABASE_URL: url, SVC_DATABASE_URL_FILE: urlFile } = process.env;
  const isOwnDatabase = (url ?? '') === '' && (urlFile ?? '') === '';
  const profile = isOwnDatabase ? { SVC_PROFILE: 'development' } : {};
  return readConfig({ ...profile, ...process.env, ...overrides });
}

/**
 * A service without surfaces and worker: what a maintenance command needs. It projects what it changed if nobody else
 * does, and answers health on a port of its own.
 */
export async function openService(): Promise<Service> {
  const service = createService({
    ...commandConfig(),
    SVC_LOG_LEVEL: 'error',
    SVC_ROLES: ['projector'],
    SVC_PORT: 0,
  });
  await service.start();
  return service;
}

/** Opens, works, closes whatever happened. */
export async function withService(work: (service: Service) => Promise<void>): Promise<void> {
  const service = await openService();
  try {
    await work(service);
  } finally {
    await service.stop();
  }
}
