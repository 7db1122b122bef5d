import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { packedFor } from './contentCoding.ts';
import { filesBelow, sendFile, type StaticFile, staticFile } from './staticFile.ts';

/** Placeholder of the nonce written by Vite (`html.cspNonce` of its configuration). */
const NONCE = '__CSP_NONCE__';
const PAGE = '/index.html';
/** Quality of Brotli for the page, which is small: a sixth shorter, in 3 ms. */
const QUALITY = 10;
const METHODS = 'GET, HEAD';
/** Folder of files whose names contain a hash of their content. */
const HASHED = '/assets/';

/** Static pages built by Vite, held in memory: no request reaches the file system. */
export interface BuiltPages {
  /**
   * Answers GET and HEAD: a file by its path, with ETag; the page, with a fresh nonce, for every
   * path a page of the application can have; 404 and 405 otherwise.
   */
  answer(request: IncomingMessage, response: ServerResponse): void;
}

export interface BuiltPagesOptions {
  /** Output folder of Vite. */
  readonly directory: string;
  /** Base path, without a trailing slash; empty: the root. */
  readonly base?: string;
  /** Content-Security-Policy of the page. */
  readonly policy: (nonce: string) => string;
  /** Further headers of every response. */
  readonly headers?: OutgoingHttpHeaders;
  /** Completes the page as it was built; the placeholder of the nonce may stand in it. */
  readonly complete?: (page: string, nonce: string) => string;
  /** Files that are not of the build, by their paths. */
  readonly files?: ReadonlyMap<string, StaticFile>;
}

/** @throws Error when the folder has no page */
export function readBuiltPages(options: BuiltPagesOptions): BuiltPages {
  const { directory, base = '', policy, headers = {}, complete } = options;
  const files = new Map([...readFiles(directory), ...(options.files ?? [])]);
  const built = files.get(PAGE)?.body.toString();
  if (built === undefined) {
    throw new Error(`There are no pages in ${directory}: build them with \`npm run build:pages\`.`);
  }
  const page = complete === undefined ? built : complete(built, NONCE);
  const common = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
    ...headers,
  };

  async function sendPage(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const nonce = randomBytes(18).toString('base64');
    const plain = Buffer.from(page.replaceAll(NONCE, nonce));
    const { body, coded } = await packedFor(request.headers, plain, QUALITY);
    response.writeHead(200, {
      ...common,
      ...coded,
      vary: 'accept-encoding',
      'content-security-policy': policy(nonce),
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'content-length': body.length,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  const headersOf = (path: string | null) => ({
    ...common,
    'cache-control':
      path?.startsWith(HASHED) === true ? 'public, max-age=31536000, immutable' : 'no-cache',
  });

  function refuse(response: ServerResponse, status: 404 | 405): void {
    response.writeHead(status, {
      ...common,
      ...(status === 405 ? { allow: METHODS } : {}),
      'cache-control': 'no-store',
      'content-type': 'text/plain; charset=utf-8',
    });
    response.end(status === 404 ? 'Not found\n' : 'Method not allowed\n');
  }

  return {
    answer: (request, response) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        refuse(response, 405);
        return;
      }
      const path = pathBelow(base, request.url ?? '');
      const file = path === null || path === PAGE ? undefined : files.get(path);
      if (file === undefined && (path === null || !isPagePath(path))) {
        refuse(response, 404);
        return;
      }
      const sending =
        file === undefined
          ? sendPage(request, response)
          : sendFile(request, response, file, headersOf(path));
      sending.catch((error: unknown) => response.destroy(error as Error));
    },
  };
}

/** @returns null for a path outside of the base */
function pathBelow(base: string, url: string): string | null {
  const path = url.split('?', 1)[0] ?? '';
  if (path === base) return '/';
  return path.startsWith(`${base}/`) ? path.slice(base.length) : null;
}

/** True for paths of application pages: not a file's path, and not an alias of another page. */
function isPagePath(path: string): boolean {
  const isPlain =
    /^(?:\/[A-Za-z0-9._~%@:-]+)*\/?$/.test(path) && !/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path);
  const isFile = path.startsWith(HASHED) || /^\/[^/]*\.[^/]*$/.test(path);
  return isPlain && !isFile;
}

function readFiles(directory: string): ReadonlyMap<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  for (const path of listed(directory)) {
    const body = readFileSync(join(directory, path));
    files.set(path, staticFile(path, body));
  }
  return files;
}

function listed(directory: string): readonly string[] {
  try {
    return filesBelow(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
