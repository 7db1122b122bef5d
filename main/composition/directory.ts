import { createAddressLimit } from '../../api/bounds/admission.ts';
import { createDirectoryRoutes } from '../../api/platform/directoryRoutes.ts';
import type { PlatformGuards } from '../../api/platform/guard.ts';
import { createEmbeddedDirectory } from '../../application/directory/embeddedDirectory.ts';
import type { CivilRegistry } from '../../application/ports/civilRegistry.ts';
import { type Directory, DirectoryFailure } from '../../application/directory/ports/directory.ts';
import type { PeopleViews } from '../../projections/peopleViews.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { publicAddresses } from '../../infrastructure/config/publicAddresses.ts';
import { withinBound } from '../../infrastructure/outside/access.ts';
import { createHttpDirectory } from '../../infrastructure/registry/httpDirectory.ts';
import {
  createPostgresOrganizationRegistry,
  type OrganizationRegistryStore,
} from '../../infrastructure/registry/postgresOrganizationRegistry.ts';
import { createPersonTies } from '../../projections/personTies.ts';
import type { Core } from './core.ts';
import type { ServiceModule } from './serviceModule.ts';

/** The registers of this installation, and the directory over them or over a registry service. */
export interface DirectorySources {
  readonly civilRegistry: CivilRegistry;
  readonly organizationRegistry: OrganizationRegistryStore;
  /** Null: not configured. */
  readonly directory: Directory | null;
}

export function openDirectorySources(core: Core): DirectorySources {
  const { pool, civilRegistry, vault } = core.foundation;
  const organizationRegistry = createPostgresOrganizationRegistry(pool, vault);
  const directory = openDirectory(core, { civilRegistry, organizationRegistry });
  return { civilRegistry, organizationRegistry, directory };
}

/** The directory of persons and organizations, for callers of the platform API. */
export function composeDirectory(
  { config, foundation }: Core,
  {
    guards,
    people,
    sources: { civilRegistry, directory },
  }: {
    readonly guards: PlatformGuards;
    readonly people: PeopleViews;
    readonly sources: DirectorySources;
  },
): ServiceModule {
  const { clock, database, redis } = foundation;
  return {
    routes: createDirectoryRoutes({
      guards,
      people,
      civilRegistry,
      clock,
      directory,
      ties: failingFast(createPersonTies(database)),
      limit: createAddressLimit(
        {
          name: 'tamga:directory',
          setting: 'SVC_DIRECTORY_REQUESTS_PER_MINUTE',
          redis: redis?.client ?? null,
        },
        config.SVC_DIRECTORY_REQUESTS_PER_MINUTE,
      ),
      base: config.SVC_BASE_URL ?? publicAddresses(config).rpApi,
    }),
  };
}

/** Null: not configured. */
function openDirectory(
  { config, foundation }: Core,
  embedded: {
    readonly civilRegistry: CivilRegistry;
    readonly organizationRegistry: OrganizationRegistryStore;
  },
): Directory | null {
  const { SVC_DIRECTORY_URL: url, SVC_DIRECTORY_TOKEN: token } = config;
  if (url === undefined) {
    return config.SVC_DIRECTORY === 'off' ? null : createEmbeddedDirectory(embedded);
  }
  const timeoutMs = config.SVC_DIRECTORY_TIMEOUT * 1000;
  const isOutage = (error: unknown) => error instanceof DirectoryFailure;
  const access = foundation.outside.open('directory', { timeoutMs: timeoutMs + 1000, isOutage });
  const directory = createHttpDirectory({
    url,
    token,
    timeoutMs,
    onCalled: (operation, status, seconds) =>
      foundation.metrics.externalRequest('directory', operation, status, seconds),
  });
  return withinBound(access, directory);
}
