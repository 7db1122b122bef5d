import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { codingFor, type Compressed, compressed } from './contentCoding.ts';

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
  /** The same in a content coding; null for types that are compressed already. */
  readonly compressed: Compressed | null;
  readonly type: string;
  /** Strong validator of the plain form (RFC 9110 §8.8.3); other codings have their own. */
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
function isPacked(name: string): boolean {
  return ['.png', '.woff2'].includes(extname(name));
}

/** Media type of a file by the extension of its name. */
export function mediaTypeOf(name: string): string {
  return types[extname(name)] ?? 'application/octet-stream';
}

/** Makes a file of its name and bytes. */
export function staticFile(name: string, body: Buffer): StaticFile {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  return {
    body,
    compressed: isPacked(name) ? null : compressed(body),
    type: mediaTypeOf(name),
    etag: `"${hash}"`,
  };
}

/** Answers GET and HEAD with a file; with 304 where the caller has what it would get with 200. */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: StaticFile,
  { status = 200, ...headers }: OutgoingHttpHeaders & { readonly status?: 200 | 404 },
): Promise<void> {
  const coding = file.compressed === null ? null : codingFor(request.headers);
  const etag = coding === null ? file.etag : file.etag.replace(/"$/, `-${coding}"`);
  const about = {
    ...headers,
    etag,
    ...(file.compressed === null ? {} : { vary: 'accept-encoding' }),
  };
  if (status === 200 && isKnown(request, etag)) {
    response.writeHead(304, about).end();
    return;
  }
  const body = (coding === null ? null : await file.compressed?.(coding)) ?? file.body;
  response.writeHead(status, {
    ...about,
    'content-type': file.type,
    'content-length': body.length,
    ...(coding === null ? {} : { 'content-encoding': coding }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Evaluates If-None-Match (RFC 9110 §13.1.2). */
function isKnown({ headers }: IncomingMessage, etag: string): boolean {
  const known = (headers['if-none-match'] ?? '').split(',').map((each) => each.trim());
  return known.includes('*') || known.some((each) => each.replace(/^W\//, '') === etag);
}
