import { fileURLToPath } from 'node:url';
import { type BuiltPages, readBuiltPages } from '../pages/builtPages.ts';

/**
 * Content security policy: own files only, and no script injection sink. Styles carry a nonce: the
 * component library writes responsive ones into the page. The Trusted Types policy
 * (apps/console/src/app/policies.ts) permits CSS text, no markup.
 */
function policy(nonce: string): string {
  return [
    ...["default-src 'none'", "script-src 'self'", `style-src 'self' 'nonce-${nonce}'`],
    ...["connect-src 'self'", "img-src 'self' data:", "font-src 'self'", "manifest-src 'self'"],
    // Spoken answers of the assistant.
    'media-src blob:',
    ...["base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"],
    ...["require-trusted-types-for 'script'", 'trusted-types default'],
  ].join('; ');
}

/**
 * Reads the console's pages as built by `npm run build:pages`. @throws Error when they are not
 * built
 */
export function readConsolePages(): BuiltPages {
  return readBuiltPages({
    directory: fileURLToPath(new URL('../../console', import.meta.url)),
    policy,
    headers: {
      // Spoken questions to the assistant.
      'permissions-policy':
        'camera=(), microphone=(self), geolocation=(), payment=(), usb=(), browsing-topics=()',
    },
  });
}
