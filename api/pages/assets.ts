import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { anyone } from '../http/handling.ts';
import { type Route, route } from '../http/route.ts';
import { codedReply } from './contentCoding.ts';
import { mediaTypeOf } from './staticFile.ts';

/** A file of a page, its name derived from its content. */
export interface Asset {
  readonly fileName: string;
  /** Value of the attribute `integrity`. */
  readonly integrity: string;
  readonly contentType: string;
  readonly body: Buffer;
}

/** Output folder of the build of apps/pages, beside the compiled program. */
const directory = new URL('../../pages/', import.meta.url);

/**
 * A style or script of a page made on the server, as built from apps/pages.
 *
 * @param name file name without the hash of its content
 * @throws Error when it is not built
 */
export function builtAsset(name: string): Asset {
  return assetOf(name, builtFile(name));
}

/** A style or script by its content. @param name file name without the hash of its content */
export function assetOf(name: string, body: Buffer): Asset {
  const extension = extname(name);
  const hash = createHash('sha384').update(body).digest();
  return {
    fileName: `${name.slice(0, -extension.length)}.${hash.toString('hex').slice(0, 16)}${extension}`,
    integrity: `sha384-${hash.toString('base64')}`,
    contentType: mediaTypeOf(name),
    body,
  };
}

/** A file as built from apps/pages. @throws Error when it is not built */
export function builtFile(name: string): Buffer {
  try {
    return readFileSync(new URL(name, directory));
  } catch (cause) {
    throw new Error(`${name} of the pages is missing: build it with \`npm run build:pages\`.`, {
      cause,
    });
  }
}

/** Route of a file that may be cached for ever: other content has another name. */
export function assetRoute(name: string, summary: string, below: string, file: Asset): Route {
  const { fileName, contentType, body } = file;
  return route({
    name,
    summary,
    method: 'GET',
    path: `${below}/${fileName}`,
    guard: anyone,
    response: { 200: contentType },
    handle: codedReply(body, contentType, 'public, max-age=31536000, immutable'),
  });
}
