import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';

/** Media types by extension. */
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** File of pages as it is sent, held in memory. */
export interface StaticFile {
  readonly body: Buffer;
  /** The same compressed; null for types that are compressed already. */
  readonly gzipped: Buffer | null;
  readonly type: string;
  /** Strong validator (RFC 9110 §8.8.3). */
  readonly etag: string;
}

/** Paths of the files below a directory as addresses have them, each with a slash before it. @throws Error ENOENT */
export function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      join(parentPath, name).slice(directory.length).replaceAll('\\', '/'),
    );
}

/** True for names of files that are compressed already. */
export function isPacked(name: string): boolean {
  return ['.png', '.woff2'].includes(extname(name));
}

/** Media type of a file by the extension of its name. */
export function mediaTypeOf(name: string): string {
  return types[extname(name)] ?? 'application/octet-stream';
}

/** Makes a file of its name and bytes. @param gzipped null for one that {@link isPacked} */
export function staticFile(name: string, body: Buffer, gzipped: Buffer | null): StaticFile {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  return { body, gzipped, type: mediaTypeOf(name), etag: `"${hash}"` };
}

/** Answers GET and HEAD with a file; with 304 where the caller has what it would get with 200. */
export function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: StaticFile,
  { status = 200, ...headers }: OutgoingHttpHeaders & { readonly status?: 200 | 404 },
): void {
  const gzipped = acceptsGzip(request) ? file.gzipped : null;
  const body = gzipped ?? file.body;
  const etag = gzipped === null ? file.etag : file.etag.replace(/"$/, '-gzip"');
  const about = {
    ...headers,
    etag,
    ...(file.gzipped === null ? {} : { vary: 'accept-encoding' }),
  };
  if (status === 200 && isKnown(request, etag)) {
    response.writeHead(304, about).end();
    return;
  }
  response.writeHead(status, {
    ...about,
    'content-type': file.type,
    'content-length': body.length,
    ...(gzipped === null ? {} : { 'content-encoding': 'gzip' }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** True for callers that accept gzip (RFC 9110 §12.5.3). */
export function acceptsGzip({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(headers['accept-encoding'] ?? '');
}

/** Evaluates If-None-Match (RFC 9110 §13.1.2). */
function isKnown({ headers }: IncomingMessage, etag: string): boolean {
  const known = (headers['if-none-match'] ?? '').split(',').map((each) => each.trim());
  return known.includes('*') || known.some((each) => each.replace(/^W\//, '') === etag);
}
