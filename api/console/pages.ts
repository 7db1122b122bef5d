import { fileURLToPath } from 'node:url';
import { type Brand, logoPath } from '../pages/brand.ts';
import { type BuiltPages, readBuiltPages } from '../pages/builtPages.ts';
import { Html, html } from '../pages/html.ts';
import { staticFile } from '../pages/staticFile.ts';

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
 * Reads the console's pages as built by `npm run build:pages`, in the operator's look. @throws Error when they are not
 * built
 */
export function readConsolePages(brand: Brand): BuiltPages {
  const { body, contentType } = brand.logo;
  const picture = { ...staticFile(logoPath, body), type: contentType };
  return readBuiltPages({
    directory: fileURLToPath(new URL('../../console', import.meta.url)),
    policy,
    complete: (page, nonce) => branded(page, brand, nonce),
    // Pages show it under a path of its own: what takes away icons of sites leaves it.
    files: new Map([logoPath, '/logo'].map((path) => [path, picture])),
    headers: {
      // Spoken questions to the assistant.
      'permissions-policy':
        'camera=(), microphone=(self), geolocation=(), payment=(), usb=(), browsing-topics=()',
    },
  });
}

/** Fills in names, and adds the colours behind the page's own style. */
function branded(page: string, { name, theme }: Brand, nonce: string): string {
  const style =
    theme === null
      ? ''
      : html`<style nonce="${nonce}">
          ${new Html(theme.body.toString())}
        </style>`.text;
  return page
    .replaceAll('__NAME_MN__', () => html`${name.mn}`.text)
    .replaceAll('__NAME_EN__', () => html`${name.en}`.text)
    .replace('</head>', () => `${style}</head>`);
}
