import type { Mount } from '../../api/http/mount.ts';
import { type LandingLink, landingRoutes } from '../../api/platform/landing.ts';
import { mePath } from '../../api/openIdConnect/layout.ts';
import type { Route } from '../../api/http/route.ts';
import type { Brand } from '../../api/pages/brand.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { publicAddresses } from '../../infrastructure/config/publicAddresses.ts';

/** Mounted programs that people look at, by path. */
const mounted: readonly LandingLink[] = [
  { name: 'Documentation', href: '/docs', about: 'Tutorials, reference, a page for every error.' },
  { name: 'Demo Bank', href: '/demo', about: 'A relying party to try: log in, sign, verify.' },
  { name: 'Phone', href: '/phone', about: "A citizen's phone in the browser, for trying." },
];

/** The landing page of the service, with what this process serves. */
export function composeLanding(
  config: Config,
  mounts: readonly Mount[],
  about: { readonly version: string; readonly brand: Brand },
): readonly Route[] {
  const served = new Set(mounts.flatMap(({ paths }) => paths));
  const links = mounted.filter(({ href }) => served.has(href));
  const all = [...links, ...ownPageLink(config), ...consoleLink(config), ...healthLink(config)];
  return landingRoutes(all, about);
}

function ownPageLink(config: Config): readonly LandingLink[] {
  if (!config.SVC_ROLES.includes('api')) return [];
  const about = "A citizen's phones, rights and history, after a login by phone.";
  return [{ name: 'My page', href: mePath, about }];
}

/** The console beside the API; elsewhere its address is not known here. */
function consoleLink(config: Config): readonly LandingLink[] {
  const isBeside = config.SVC_ROLES.includes('console') && config.SVC_CONSOLE_PORT !== 0;
  if (config.SVC_PROFILE !== 'development' || !isBeside) return [];
  const { hostname } = new URL(publicAddresses(config).rpApi);
  const href = `http://${hostname}:${config.SVC_CONSOLE_PORT}`;
  return [{ name: 'Console', href, about: 'For operators, approvers and auditors.' }];
}

function healthLink(config: Config): readonly LandingLink[] {
  if (config.SVC_MANAGEMENT_PORT !== undefined) return [];
  return [{ name: 'Health', href: '/readyz', about: 'What works, and what does not.' }];
}
