import { fileURLToPath } from 'node:url';
import { type BuiltPages, readBuiltPages } from '../http/builtPages.ts';

/**
 * Nothing but our own files, and no sink a script could be made in. Styles carry a nonce: the component library writes
 * responsive ones into the page. Trusted Types let style sheets through, and nothing that has a tag in it
 * (console/src/app/policies.ts).
 */
function policy(nonce: string): string {
  return [
    ...["default-src 'none'", "script-src 'self'", `style-src 'self' 'nonce-${nonce}'`],
    ...["connect-src 'self'", "img-src 'self' data:", "font-src 'self'", "manifest-src 'self'"],
    // Answers of the assistant are read aloud.
    'media-src blob:',
    ...["base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"],
    ...["require-trusted-types-for 'script'", 'trusted-types default'],
  ].join('; ');
}

/** The console's pages as `npm run build:pages` left them. @throws Error when they are not built */
export function readConsolePages(): BuiltPages {
  return readBuiltPages({
    directory: fileURLToPath(new URL('../../console', import.meta.url)),
    policy,
    headers: {
      // The assistant takes spoken questions.
      'permissions-policy':
        'camera=(), microphone=(self), geolocation=(), payment=(), usb=(), browsing-topics=()',
    },
  });
}
