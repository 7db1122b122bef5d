import { type Config, readConfig } from '../infrastructure/config/config.ts';
import { createService, type Service } from '../main.ts';
import { commandPatience } from './waiting.ts';

/**
 * Configuration of a command: the environment, in the development profile unless it names a
 * database or a profile, so that commands beside `./tamga up` use its database.
 */
export function commandConfig(overrides: NodeJS.ProcessEnv = {}): Config {
  const { SVC_DATABASE_URL: url, SVC_DATABASE_URL_FILE: urlFile } = process.env;
  const isOwnDatabase = (url ?? '') === '' && (urlFile ?? '') === '';
  const profile = isOwnDatabase ? { SVC_PROFILE: 'development' } : {};
  return readConfig({ ...profile, ...process.env, ...overrides });
}

/**
 * Opens a service without surfaces and worker, for a maintenance command, as patiently as `serve`. It runs the
 * projections if no other process does, and serves health on a port of its own.
 */
export async function openService(): Promise<Service> {
  const config: Config = {
    ...commandConfig(),
    SVC_LOG_LEVEL: 'error',
    SVC_ROLES: ['projector'],
    // It runs beside the service.
    SVC_SOLE_PROCESS: false,
    SVC_PORT: 0,
  };
  const { onWaiting } = commandPatience(config);
  const service = createService(config, { isCommand: true, onWaiting });
  await service.start();
  return service;
}

/** Opens a service, runs the work, and closes the service in any case. */
export async function withService(work: (service: Service) => Promise<void>): Promise<void> {
  const service = await openService();
  try {
    await work(service);
  } finally {
    await service.stop();
  }
}
