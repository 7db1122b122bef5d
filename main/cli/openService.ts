import { type Config, readCommandConfig, readConfig } from '../../infrastructure/config/config.ts';
import { createService, type Service } from '../main.ts';
import { commandEnvironment } from './commandEnvironment.ts';
import { commandPatience } from './waiting.ts';

/**
 * Configuration of a command: of the environment what is no server's, in the development profile unless it names a
 * database or a profile, so that commands beside `./tamga up` use its database.
 */
export function commandConfig(overrides: NodeJS.ProcessEnv = {}): Config {
  return readCommandConfig(commandEnvironment(overrides));
}

/** Configuration of the demo, which is a server: all of the environment, in the same profile as that of a command. */
export function demoConfig(overrides: NodeJS.ProcessEnv = {}): Config {
  return readConfig(commandEnvironment(overrides));
}

export interface CommandNeeds {
  /** Opens the key vault; without it a command logs in to no token. Default: false. */
  readonly keys?: boolean;
  /** Writes in bulk: leaves the projections to others and remembers no keys it does not need again. Default: false. */
  readonly bulk?: boolean;
}

/** Keys that a command remembers which writes in bulk: more than it uses at once. */
const KEYS_IN_BULK = 2000;

/**
 * Opens a service without surfaces and worker, for a maintenance command, as patiently as `serve`. It runs the
 * projections if no other process does and it does not write in bulk, and opens no port.
 */
async function openService({ keys = false, bulk = false }: CommandNeeds = {}): Promise<Service> {
  const config: Config = {
    ...commandConfig(),
    SVC_LOG_LEVEL: 'error',
    SVC_ROLES: bulk ? [] : ['projector'],
    ...(!keys && { SVC_HSMPROXY_ORG_ISSUING_CERT: undefined }),
  };
  const { onWaiting } = commandPatience(config);
  const service = createService(config, {
    isCommand: true,
    usesKeys: keys,
    onWaiting,
    ...(bulk && { keysRemembered: KEYS_IN_BULK }),
  });
  await service.start();
  return service;
}

/** Opens a service, runs the work, and closes the service in any case. */
export async function withService(
  work: (service: Service) => Promise<void>,
  needs: CommandNeeds = {},
): Promise<void> {
  const service = await openService(needs);
  try {
    await work(service);
  } finally {
    await service.stop();
  }
}
