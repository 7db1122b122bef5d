import type { RequestListener } from 'node:http';
import type { Mount } from '../http/mount.ts';
import { readBuiltPages } from '../pages/builtPages.ts';

/** A citizen of the demo registry without a phone: the data on the identity card. */
export interface OfferedCitizen {
  /** Civil id. */
  readonly identifier: string;
  readonly name: string;
  readonly cardNumber: string;
  /** `YYYY-MM-DD`. */
  readonly birthDate: string;
}

export interface PhonePageOptions {
  /** Output folder of Vite. */
  readonly directory: string;
  /** Base address of device links and QR codes, which this service redirects to the phone. */
  readonly deviceLinkBase: string;
  /** Citizens offered for enrolment; empty: the citizen enters the card's data. */
  readonly citizens: readonly OfferedCitizen[];
}

const BASE = '/phone';
const CITIZENS = `${BASE}/citizens.json`;

/**
 * Content security policy: own files only. A scanned picture is a blob; the service worker has the
 * permissions of the page.
 */
const policy = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"],
  ...["img-src 'self' blob:", 'media-src blob:', "manifest-src 'self'", "worker-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  // apps/phone/web/main.tsx: the address of the service worker.
  ...["require-trusted-types-for 'script'", 'trusted-types phone'],
].join('; ');

const headers = {
  'content-security-policy': policy,
  'permissions-policy': 'camera=(self), microphone=(), geolocation=(), payment=(), usb=()',
};

/**
 * Demo phone in the browser: an installable page, an HTTP client of the device API. Its keys are as
 * safe as a browser: not for production.
 *
 * @throws Error when the page is not built
 */
export function createPhonePage({ directory, deviceLinkBase, citizens }: PhonePageOptions): Mount {
  const pages = readBuiltPages({
    directory,
    base: BASE,
    policy: () => policy,
    // The service worker's file lies below its scope.
    headers: { ...headers, 'service-worker-allowed': BASE },
  });
  const offered = Buffer.from(JSON.stringify({ citizens }));
  const linkPath = new URL(deviceLinkBase).pathname;
  const opensLinks = linkPath !== '/' && !linkPath.startsWith('/v3/');

  const listener: RequestListener = (request, response) => {
    const { method = '', url = '' } = request;
    const [path, query] = split(url);
    const reads = method === 'GET' || method === 'HEAD';
    if (reads && path === CITIZENS) {
      response.writeHead(200, {
        ...headers,
        'cache-control': 'no-store',
        'content-type': 'application/json',
        'x-content-type-options': 'nosniff',
        'content-length': offered.length,
      });
      response.end(method === 'HEAD' ? undefined : offered);
    } else if (reads && opensLinks && path === linkPath) {
      // Keeps the link byte for byte as the relying party signed it.
      const link = encodeURIComponent(`${deviceLinkBase}?${query}`);
      response.writeHead(302, {
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        location: `${BASE}?link=${link}`,
      });
      response.end();
    } else {
      pages.answer(request, response);
    }
  };
  return { paths: [BASE, ...(opensLinks ? [linkPath] : [])], listener };
}

function split(url: string): readonly [string, string] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}
