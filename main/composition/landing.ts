import type { Mount } from '../../api/http/mount.ts';
import {
  type LandingLink,
  type LandingOptions,
  landingRoutes,
} from '../../api/platform/landing.ts';
import { mePath } from '../../api/openIdConnect/layout.ts';
import type { Route } from '../../api/http/route.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { publicAddresses } from '../../infrastructure/config/publicAddresses.ts';

/** Mounted programs that people look at, by path. */
const mounted: readonly LandingLink[] = [
  { place: 'documentation', href: '/docs' },
  { place: 'demoBank', href: '/demo' },
  { place: 'phone', href: '/phone' },
];

/** The landing page of the service, with what this process serves. */
export function composeLanding(
  config: Config,
  mounts: readonly Mount[],
  about: Omit<LandingOptions, 'isSecure'>,
): readonly Route[] {
  const served = new Set(mounts.flatMap(({ paths }) => paths));
  const links = mounted.filter(({ href }) => served.has(href));
  const all = [...links, ...ownPageLink(config), ...consoleLink(config), ...healthLink(config)];
  const isSecure = publicAddresses(config).rpApi.startsWith('https:');
  return landingRoutes(all, { ...about, isSecure });
}

function ownPageLink(config: Config): readonly LandingLink[] {
  if (!config.SVC_ROLES.includes('api')) return [];
  return [{ place: 'ownPage', href: mePath }];
}

/** The console beside the API; elsewhere its address is not known here. */
function consoleLink(config: Config): readonly LandingLink[] {
  const isBeside = config.SVC_ROLES.includes('console') && config.SVC_CONSOLE_PORT !== 0;
  if (config.SVC_PROFILE !== 'development' || !isBeside) return [];
  const { hostname } = new URL(publicAddresses(config).rpApi);
  const href = `http://${hostname}:${config.SVC_CONSOLE_PORT}`;
  return [{ place: 'console', href }];
}

function healthLink(config: Config): readonly LandingLink[] {
  if (config.SVC_MANAGEMENT_PORT !== undefined) return [];
  return [{ place: 'health', href: '/readyz' }];
}
