import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mount } from '../api/http/mount.ts';
import { createPhonePage } from '../api/phone/page.ts';
import type { Log } from '../application/ports/log.ts';
import type { Config } from '../infrastructure/config.ts';
import { publicAddresses } from '../infrastructure/publicAddresses.ts';
import { spareCitizens } from '../infrastructure/registry/demo/spareCitizens.ts';

/** The phone in the browser, for trying the service out; production has none. */
export function composePhonePage(config: Config, log: Log): readonly Mount[] {
  if (config.SVC_PROFILE === 'production' || !config.SVC_ROLES.includes('api')) return [];
  const directory = fileURLToPath(new URL('../phone-web', import.meta.url));
  if (!existsSync(join(directory, 'index.html'))) {
    log.warn({}, 'The phone in the browser is not built: `npm run build:pages`.');
    return [];
  }
  return [
    createPhonePage({
      directory,
      deviceLinkBase: publicAddresses(config).deviceLink,
      citizens: config.SVC_PROFILE === 'development' ? spareCitizens : [],
    }),
  ];
}
