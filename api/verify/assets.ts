import { createHash } from 'node:crypto';
import { anyone } from '../http/guards.ts';
import { type Route, route } from '../http/route.ts';
import { script } from './script.ts';
import { style } from './style.ts';

/** A file of the page, its name derived from its content. */
export interface Asset {
  readonly fileName: string;
  /** Value of the attribute `integrity`. */
  readonly integrity: string;
  readonly contentType: string;
  readonly body: Buffer;
}

export function asset(
  name: string,
  extension: 'css' | 'js',
  contentType: string,
  text: string,
): Asset {
  const body = Buffer.from(text);
  const hash = createHash('sha384').update(body).digest();
  return {
    fileName: `${name}.${hash.toString('hex').slice(0, 16)}.${extension}`,
    integrity: `sha384-${hash.toString('base64')}`,
    contentType,
    body,
  };
}

export const assets = {
  style: asset('verify', 'css', 'text/css; charset=utf-8', style),
  script: asset('verify', 'js', 'text/javascript; charset=utf-8', script),
} as const;

/** The page's own files. */
export function assetRoutes(): readonly Route[] {
  return [
    assetRoute('verifyStyle', 'The style of the verification page', '/verify/assets', assets.style),
    assetRoute(
      'verifyScript',
      'The script of the verification page',
      '/verify/assets',
      assets.script,
    ),
  ];
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
    handle: () => ({
      body,
      contentType,
      headers: { 'cache-control': 'public, max-age=31536000, immutable' },
    }),
  });
}
