import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Placeholder of the nonce written by Vite (`html.cspNonce` of its configuration). */
const NONCE = '__CSP_NONCE__';
const PAGE = '/index.html';
const METHODS = 'GET, HEAD';

/** Media types by extension. */
export const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.woff2': 'font/woff2',
};
/** File types that are compressed already. */
export const packed = new Set(['.png', '.woff2']);

interface File {
  readonly body: Buffer;
  readonly gzipped: Buffer | null;
  readonly type: string;
  readonly etag: string;
  /** True when the name contains a hash of the content. */
  readonly isHashed: boolean;
}

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
}

/** @throws Error when the folder has no page */
export function readBuiltPages(options: BuiltPagesOptions): BuiltPages {
  const { directory, base = '', policy, headers = {} } = options;
  const files = readFiles(directory);
  const page = files.get(PAGE)?.body.toString();
  if (page === undefined) {
    throw new Error(`There are no pages in ${directory}: build them with \`npm run build:pages\`.`);
  }
  const common = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
    ...headers,
  };

  function sendPage(response: ServerResponse, isHead: boolean): void {
    const nonce = randomBytes(18).toString('base64');
    const body = Buffer.from(page?.replaceAll(NONCE, nonce) ?? '');
    response.writeHead(200, {
      ...common,
      'content-security-policy': policy(nonce),
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
      'content-type': types['.html'],
      'content-length': body.length,
    });
    response.end(isHead ? undefined : body);
  }

  function sendFile(request: IncomingMessage, response: ServerResponse, file: File): void {
    const gzipped = acceptsGzip(request) ? file.gzipped : null;
    const body = gzipped ?? file.body;
    const etag = gzipped === null ? file.etag : file.etag.replace(/"$/, '-gzip"');
    const about = {
      ...common,
      'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag,
      ...(file.gzipped === null ? {} : { vary: 'accept-encoding' }),
    };
    if (isKnown(request, etag)) {
      response.writeHead(304, about).end();
      return;
    }
    response.writeHead(200, {
      ...about,
      'content-type': file.type,
      'content-length': body.length,
      ...(gzipped === null ? {} : { 'content-encoding': 'gzip' }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

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
      if (file !== undefined) sendFile(request, response, file);
      else if (path !== null && isPagePath(path)) sendPage(response, request.method === 'HEAD');
      else refuse(response, 404);
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
  const isFile = path.startsWith('/assets/') || /^\/[^/]*\.[^/]*$/.test(path);
  return isPlain && !isFile;
}

/** True for callers that accept gzip (RFC 9110 §12.5.3). */
export function acceptsGzip({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(headers['accept-encoding'] ?? '');
}

/** Strong validator of a file (RFC 9110 §8.8.3). */
export function etagOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

/** Evaluates If-None-Match (RFC 9110 §13.1.2). */
export function isKnown({ headers }: Pick<IncomingMessage, 'headers'>, etag: string): boolean {
  const known = (headers['if-none-match'] ?? '').split(',').map((each) => each.trim());
  return known.includes('*') || known.some((each) => each.replace(/^W\//, '') === etag);
}

function readFiles(directory: string): ReadonlyMap<string, File> {
  const files = new Map<string, File>();
  for (const entry of listed(directory)) {
    const path = `/${entry.replaceAll('\\', '/')}`;
    const body = readFileSync(join(directory, entry));
    const extension = extname(entry);
    files.set(path, {
      body,
      gzipped: packed.has(extension) ? null : gzipSync(body),
      type: types[extension] ?? 'application/octet-stream',
      etag: etagOf(body),
      isHashed: path.startsWith('/assets/'),
    });
  }
  return files;
}

function listed(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
