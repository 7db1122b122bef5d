import type { RequestListener } from 'node:http';
import type { Mount } from '../http/mount.ts';
import { readBuiltPages } from '../http/builtPages.ts';

/** Somebody of the demo's civil registry who has no phone yet: what stands on the citizen's card. */
export interface OfferedCitizen {
  /** Civil id. */
  readonly identifier: string;
  readonly name: string;
  readonly cardNumber: string;
  /** `YYYY-MM-DD`. */
  readonly birthDate: string;
}

export interface PhonePageOptions {
  /** The folder Vite wrote. */
  readonly directory: string;
  /** What device links and QR codes open: on this service it leads to the phone. */
  readonly deviceLinkBase: string;
  /** Whom the page offers to enrol; empty: nobody, the citizen fills in the card. */
  readonly citizens: readonly OfferedCitizen[];
}

const BASE = '/phone';
const CITIZENS = `${BASE}/citizens.json`;

/** Own files alone. A picture that is scanned is a blob; the service worker asks for what the page may ask for. */
const policy = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"],
  ...["img-src 'self' blob:", 'media-src blob:', "manifest-src 'self'", "worker-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ');

const headers = {
  'content-security-policy': policy,
  'permissions-policy': 'camera=(self), microphone=(), geolocation=(), payment=(), usb=()',
};

/**
 * The phone in the browser, to try the service with: an installable page that is an HTTP client of the device API and
 * nothing else. Its keys are as safe as a browser: not for production.
 *
 * @throws Error when the page is not built
 */
export function createPhonePage({ directory, deviceLinkBase, citizens }: PhonePageOptions): Mount {
  const pages = readBuiltPages({
    ...{ directory, base: BASE, policy: () => policy },
    // The worker lies below the page it works for.
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
      // The link as the relying party signed it: the phone hands it in byte for byte.
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
